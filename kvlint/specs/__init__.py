# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""The spec classes of a tree: which there are, their bases, fields and composites."""
