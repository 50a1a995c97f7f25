# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""What code makes of specs: what it keeps of their fields, and what it compares."""
