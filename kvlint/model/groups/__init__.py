# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Group specs in functions: which are raw, what is asked of them, what is sought."""
