# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""The proof at run time: real specs are made and asked, in a process of their own."""
