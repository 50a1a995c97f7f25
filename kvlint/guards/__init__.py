# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Conditions on the release of vLLM: which code the release at hand runs."""
