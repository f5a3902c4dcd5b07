"""Soil profiles for the layered soil, in PCSE's SoilProfileDescription."""

PF = (-1.0, 1.0, 1.3, 1.7, 2.0, 2.3, 2.4, 2.7, 3.0, 3.3, 3.7, 4.0, 4.17, 4.2, 6.0)
SAND = (0.366, 0.338, 0.304, 0.233, 0.179, 0.135, 0.123, 0.094, 0.073, 0.059, 0.046, 0.039, 0.037)
SAND += (0.036, 0.02)
SAND_LOG_K = (1.8451, 1.02119, 0.51055, -0.52288, -1.50864, -2.56864, -2.92082, -4.01773, -5.11919)
SAND_LOG_K += (-6.22185, -7.69897, -8.79588, -9.4318, -9.5376, -11.5376)
LOAM = (0.44, 0.425, 0.41, 0.385, 0.35, 0.315, 0.3, 0.26, 0.22, 0.19, 0.16, 0.14, 0.13, 0.128, 0.08)
LOAM_LOG_K = (1.2, 0.6, 0.3, -0.3, -0.9, -1.5, -1.8, -2.5, -3.2, -4.0, -5.1, -6.0, -6.5, -6.6, -9.0)


def layer(thickness, moisture, log_conductivity):
    """Return a layer of a thickness [cm] with curves at PF."""
    return {
        "Thickness": thickness,
        "SMfromPF": [n for pair in zip(PF, moisture, strict=True) for n in pair],
        "CONDfromPF": [n for pair in zip(PF, log_conductivity, strict=True) for n in pair],
        "CRAIRC": 0.05,
        "CNRatioSOMI": 9.0,
        "FSOMI": 0.02,
        "RHOD": 1.4,
        "Soil_pH": 7.0,
    }


def profile(kinds):
    """Return a profile of (thickness, "sand" | "loam") layers."""
    curves = {"sand": (SAND, SAND_LOG_K), "loam": (LOAM, LOAM_LOG_K)}
    return {
        "PFWiltingPoint": 4.2,
        "PFFieldCapacity": 2.0,
        "SurfaceConductivity": 70.0,
        "GroundWater": None,
        "SoilLayers": [layer(thickness, *curves[kind]) for thickness, kind in kinds],
        "SubSoilType": layer(200, *curves[kinds[-1][1]]),
    }


UNIFORM = profile([(10, "sand"), (10, "sand"), (10, "sand"), (20, "sand"), (30, "sand"), (45, "sand")])
MIXED = profile([(20, "loam"), (15, "loam"), (25, "sand"), (30, "loam"), (35, "sand")])
SAND_ON_LOAM = profile([(10, "sand"), (30, "sand"), (40, "loam"), (45, "loam")])
