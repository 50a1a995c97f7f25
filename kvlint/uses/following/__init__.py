# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Values that are known to be specs, groups and the like, and what is done to them."""
