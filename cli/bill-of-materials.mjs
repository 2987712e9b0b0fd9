import { createHash } from 'node:crypto'

/**
 * The CycloneDX 1.6 bill of materials of a package-lock.json (version 3), as an object. It depends on the lockfile alone: the
 * same lockfile gives the same bytes. `npm sbom` writes version 1.5 and refuses this lockfile, because two optional packages
 * for WebAssembly disagree about a peer.
 */
export function billOfMaterials(lockfileText) {
  const { name, version, packages } = JSON.parse(lockfileText)
  const { '': root, ...installed } = packages
  const components = new Map()
  const edges = new Map()
  for (const [path, entry] of Object.entries(installed)) {
    const one = componentOf(path, entry)
    const known = components.get(one['bom-ref'])
    components.set(one['bom-ref'], known ? joined(known, one) : one)
    edges.set(one['bom-ref'], [...(edges.get(one['bom-ref']) ?? []), ...dependenciesOf(path, entry, packages)])
  }
  const rootRef = `${name}@${version}`
  edges.set(rootRef, dependenciesOf('', root, packages))
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: `urn:uuid:${uuidOf(lockfileText)}`,
    version: 1,
    metadata: {
      lifecycles: [{ phase: 'pre-build' }],
      component: { type: 'application', 'bom-ref': rootRef, name, version },
    },
    components: [...components.values()].sort(byRef),
    dependencies: [...edges]
      .map(([ref, on]) => ({ ref, dependsOn: [...new Set(on)].sort() }))
      .sort((a, b) => order(a.ref, b.ref)),
  }
}

const order = (a, b) => (a < b ? -1 : a > b ? 1 : 0)
const byRef = (a, b) => order(a['bom-ref'], b['bom-ref'])

/** The package's name, from the last folder of its path in the lockfile; an alias states the real one in `name`. */
const nameOf = (path, entry) => entry.name ?? path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)

function componentOf(path, entry) {
  const name = nameOf(path, entry)
  return {
    type: 'library',
    'bom-ref': `${name}@${entry.version}`,
    name,
    version: entry.version,
    scope: scopeOf(entry),
    hashes: (entry.integrity ?? '').split(' ').filter(Boolean).map(hashOf),
    licenses: licensesOf(entry.license),
    purl: `pkg:npm/${name.replace('@', '%40')}@${encodeURIComponent(entry.version)}`,
    properties: [{ name: 'cdx:npm:package:path', value: path }],
  }
}

/** "excluded" is what the specification calls packages that only development and tests need. */
function scopeOf({ dev, optional, devOptional, peer }) {
  if (dev) return 'excluded'
  return optional || devOptional || peer ? 'optional' : 'required'
}

const scopes = ['excluded', 'optional', 'required']

/** One version of a package at two places of the tree is one component, needed as much as by the place that needs it most. */
const joined = (known, one) => ({
  ...known,
  scope: scopes[Math.max(scopes.indexOf(known.scope), scopes.indexOf(one.scope))],
  properties: [...known.properties, ...one.properties],
})

const algorithms = { sha1: 'SHA-1', sha256: 'SHA-256', sha384: 'SHA-384', sha512: 'SHA-512' }

function hashOf(integrity) {
  const [algorithm, digest] = integrity.split('-', 2)
  return { alg: algorithms[algorithm], content: Buffer.from(digest, 'base64').toString('hex') }
}

/** An SPDX identifier, or an SPDX expression of several. */
function licensesOf(license) {
  if (license === undefined) return []
  return /^[\w.+-]+$/.test(license) ? [{ license: { id: license } }] : [{ expression: license }]
}

/** What Node would load for each dependency: the nearest node_modules on the way up. Optional ones may be absent. */
function dependenciesOf(path, entry, packages) {
  const names = Object.keys({ ...entry.dependencies, ...entry.optionalDependencies, ...entry.devDependencies })
  return names.flatMap((name) => {
    for (let folder = path; ; folder = parentOf(folder)) {
      const at = folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`
      if (packages[at]) return [`${nameOf(at, packages[at])}@${packages[at].version}`]
      if (folder === '') return []
    }
  })
}

const parentOf = (path) => path.slice(0, Math.max(0, path.lastIndexOf('node_modules/') - 1))

/** A UUIDv8 (RFC 9562) from the lockfile's SHA-256: the serial number names these contents. */
function uuidOf(text) {
  const bytes = createHash('sha256').update(text).digest().subarray(0, 16)
  bytes[6] = (bytes[6] & 0x0f) | 0x80
  bytes[8] = (bytes[8] & 0x3f) | 0x80
  const hex = bytes.toString('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}
