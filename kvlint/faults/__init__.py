# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""What rules find, before it is worded: faults of specs and of code that uses them.

Each module asks the project and gives plain data; a check makes findings of it.
"""
