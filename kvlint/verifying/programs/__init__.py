# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Programs that are run by their path. None of them imports kvlint.

``guard.py`` is run by kvlint's own interpreter and watches over ``child.py``, which the
interpreter runs that has vLLM.
"""
