# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""The typed model that checks read: files, classes, fields, members.

Beside these, rooms for what functions do: with groups' specs, in tests of classes, in
merges, in composites' answers, with sizes, and with values at large.
"""
