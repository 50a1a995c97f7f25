# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""kvlint: a linter with autofix for vLLM's KV cache specs."""

__version__ = "0.1.0"
