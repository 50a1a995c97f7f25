# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""The text of fixes: what is inserted, laid out as ``ruff format`` would."""
