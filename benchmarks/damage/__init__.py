# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Ways to damage a release of vLLM, each of which some rule promises to find.

Sites are found with ``ast``, by the words of the rule documents, and what would change
nothing is left out by rules that stand in the code: none of that asks kvlint.
"""
