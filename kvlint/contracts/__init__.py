# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Contracts: what a vLLM release asks of specs, as facts without its sources."""
