"""OpenCV: images are arrays of NumPy."""

from __future__ import annotations

from torchlint.pytorch.kinds import Companion, host_argument

COMPANION = Companion(
    "cv2",
    "https://docs.opencv.org/4.x/d4/da8/group__imgcodecs.html",
    host_arguments=(
        host_argument(
            "cv2.imencode cv2.imdecode",
            "https://docs.opencv.org/4.x/d4/da8/group__imgcodecs.html",
        ),
    ),
)
