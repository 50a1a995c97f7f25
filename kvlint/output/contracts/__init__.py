# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Outputs of ``kvlint contract``: pure functions from facts to text."""
