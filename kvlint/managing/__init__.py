# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Managers of KV caches: which serve what spec, and who makes and registers them."""
