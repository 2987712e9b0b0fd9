// The BagIt profile of the archives (bagit-profiles.github.io, 1.4.0), which is in every archive: what a program for bags may
// demand of one.

const identifier = 'https://countersign.dev/bagit-profile/evidence-room-bundle-v2.json'

/** For bag-info.txt. */
export const profileInfo = { 'BagIt-Profile-Identifier': identifier }

const required = (description: string) => ({ required: true, repeatable: false, description })

export const bagProfile = (): string =>
  `${JSON.stringify(
    {
      'BagIt-Profile-Info': {
        'BagIt-Profile-Identifier': identifier,
        'BagIt-Profile-Version': '1.4.0',
        'Source-Organization': 'Countersign',
        'External-Description': 'Evidence archives of Countersign, format version 2.',
        Version: '2.0',
      },
      'Bag-Info': {
        'Source-Organization': required('The organisation whose evidence it is.'),
        'Bagging-Date': required('The UTC date of the seal.'),
        'External-Identifier': required('The id of the export.'),
        'Payload-Oxum': required('Bytes and number of files below data/.'),
        'BagIt-Profile-Identifier': required('This profile.'),
      },
      'Manifests-Required': ['sha256'],
      'Manifests-Allowed': ['sha256'],
      'Tag-Manifests-Required': ['sha256'],
      'Tag-Manifests-Allowed': ['sha256'],
      'Tag-Files-Required': [
        'README.txt',
        'bagit-profile.json',
        'manifest.json',
        'seal/bundle.sigstore.json',
        'seal/manifest.json.sig',
        'seal/seal.pub.pem',
        'seal/tagmanifest-sha256.txt.sig',
        'verify.html',
        'verify.mjs',
      ],
      'Allow-Fetch.txt': false,
      Serialization: 'required',
      'Accept-Serialization': ['application/zip'],
      'Accept-BagIt-Version': ['1.0'],
    },
    null,
    2,
  )}\n`
