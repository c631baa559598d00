"""torchaudio: names that it had once."""

from __future__ import annotations

from torchlint.pytorch.kinds import Companion, Removal, renamed

_CODEC = "the package `torchcodec`"
_BACKENDS = Removal((2, 9), "no backend, as `torchcodec` decodes and encodes")
# https://github.com/pytorch/audio/pull/1898: complex tensors of PyTorch have them.
_COMPLEX = (0, 11)

COMPANION = Companion(
    "torchaudio",
    "torchaudio 0.8 to 2.11; https://github.com/pytorch/audio/releases, https://github.com/pytorch/audio/issues/3902",
    removed={
        "torchaudio.info": Removal((2, 9), f"{_CODEC}, whose decoder has the metadata"),
        "torchaudio.AudioMetaData": Removal((2, 9), _CODEC),
        "torchaudio.io": Removal((2, 9), _CODEC),
        "torchaudio.list_audio_backends": _BACKENDS,
        "torchaudio.get_audio_backend": _BACKENDS,
        "torchaudio.set_audio_backend": _BACKENDS,
        "torchaudio.backend": _BACKENDS,
        "torchaudio.sox_effects": Removal((2, 9), "`torchaudio.functional` or the package `sox`"),
        "torchaudio.kaldi_io": Removal((2, 9), "the package `kaldi_io`"),
        "torchaudio.functional.apply_codec": Removal((2, 9), _CODEC),
        "torchaudio.functional.compute_kaldi_pitch": Removal((2, 1), "`torchaudio.functional.detect_pitch_frequency`"),
        "torchaudio.functional.angle": renamed(_COMPLEX, "torch.angle"),
        "torchaudio.functional.complex_norm": Removal(_COMPLEX, "`torch.abs` of a complex tensor", (1, 7)),
        "torchaudio.functional.magphase": Removal(_COMPLEX, "`abs` and `angle` of a complex tensor", (1, 7)),
        "torchaudio.transforms.ComplexNorm": Removal(_COMPLEX, "`torch.abs` of a complex tensor", (1, 7)),
        "torchaudio.functional.create_fb_matrix": Removal(_COMPLEX, "`torchaudio.functional.melscale_fbanks`"),
        "torchaudio.compliance.kaldi.resample_waveform": Removal((0, 10), "`torchaudio.functional.resample`"),
        "torchaudio.datasets.VCTK": renamed((0, 11), "torchaudio.datasets.VCTK_092"),
        "torchaudio.datasets.utils.download_url": Removal((2, 0), "`torch.hub.download_url_to_file`"),
        "torchaudio.save_encinfo": Removal((0, 9), "`torchaudio.save`"),
        "torchaudio.SignalInfo": Removal((0, 9), "the arguments of `torchaudio.save`"),
        "torchaudio.EncodingInfo": Removal((0, 9), "the arguments of `torchaudio.save`"),
    },
)
