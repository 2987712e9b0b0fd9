import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { buildServer } from './build-server.mjs'

// The real bundler, on a small tree.

let root: string
const bundle = () => join(root, 'dist/server.mjs')
const record = () => join(root, 'dist/server.json')

/** A source that was written some time ago, as after an installation. */
function write(path: string, text: string, secondsAgo = 60) {
  writeFileSync(join(root, path), text)
  const at = Date.now() / 1000 - secondsAgo
  utimesSync(join(root, path), at, at)
}
const run = () => execFileSync(process.execPath, [bundle()], { encoding: 'utf8' }).trim()

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'bundle-'))
  mkdirSync(join(root, 'server/deep'), { recursive: true })
  write('package.json', '{}')
  write('server/main.ts', `import { said } from './deep/said.ts'\nconsole.log(said)`)
  write('server/deep/said.ts', `export const said: string = 'one'`)
})
afterEach(() => rmSync(root, { recursive: true }))

test('is made once for the same sources, and again after one of them has changed', async () => {
  expect((await buildServer({ root })).pathname).toBe(bundle())
  expect(run()).toBe('one')
  const { mtimeMs } = statSync(bundle())
  await buildServer({ root })
  expect(statSync(bundle()).mtimeMs).toBe(mtimeMs)
  write('server/deep/said.ts', `export const said = 'two'`, 30)
  await buildServer({ root })
  expect(run()).toBe('two')
})

test('does not count as current if a source was changed while it was made', async () => {
  // As late as the end of the build: which of the two texts was read is unknown.
  write('server/deep/said.ts', `export const said = 'late'`, -60)
  await buildServer({ root })
  expect(run()).toBe('late')
  expect(existsSync(record())).toBe(false)
})

test('finds files next to its sources, also after the tree was moved', async () => {
  write('server/deep/words.txt', 'from a file')
  write(
    'server/deep/said.ts',
    `import { readFileSync } from 'node:fs'
     import { join } from 'node:path'
     const words = readFileSync(new URL('words.txt', import.meta.url), 'utf8')
     export const said = words + ', ' + readFileSync(join(import.meta.dirname, 'words.txt'), 'utf8')`,
  )
  await buildServer({ root })
  const moved = `${root}-moved`
  renameSync(root, moved)
  root = moved
  expect(run()).toBe('from a file, from a file')
})

test('keeps the names of classes that share one', async () => {
  write('server/deep/other.ts', `export class Session {}\nexport const other = new Session().constructor.name`)
  write(
    'server/deep/said.ts',
    `import { other, Session as First } from './other.ts'
     class Session extends First {}
     export const said = new Session().constructor.name + ' ' + other`,
  )
  await buildServer({ root })
  expect(run()).toBe('Session Session')
})

test('is in ASCII, and says the same', async () => {
  write(
    'server/deep/said.ts',
    `const html = (strings: TemplateStringsArray, ...values: string[]) => String.raw({ raw: strings }, ...values)
     const name = 'Zoë'
     export const said = 'Grüße – ' + name + html\` “\${name}” 🙂\` + ' Straße'.replace(/ß/g, '…')`,
  )
  await buildServer({ root })
  expect(readFileSync(bundle(), 'utf8')).toMatch(/^\p{ASCII}*$/u)
  expect(run()).toBe('Grüße – Zoë “Zoë” 🙂 Stra…e')
})

test('is refused for a source that names its folder in a way that a bundle has not', async () => {
  write('server/deep/said.ts', `export const said = __dirname`)
  await expect(buildServer({ root })).rejects.toThrow('server/deep/said.ts uses __dirname or __filename')
  expect(existsSync(record())).toBe(false)
})

test('bundles a program that the server runs as a process, next to it', async () => {
  write('server/deep/count-process.ts', `import { said } from './said.ts'\nconsole.log('process ' + said)`)
  write(
    'server/main.ts',
    `import { execFileSync } from 'node:child_process'
     import { fileURLToPath } from 'node:url'
     import { program } from './deep/program.ts'
     console.log(execFileSync(process.execPath, [fileURLToPath(program)], { encoding: 'utf8' }))`,
  )
  write('server/deep/program.ts', `export const program = new URL('./count-process.ts', import.meta.url)`)
  await buildServer({ root })
  rmSync(join(root, 'server'), { recursive: true })
  expect(run()).toBe('process one')
  expect(existsSync(join(root, 'dist/server-count-process.mjs'))).toBe(true)
})

test('bundles a program that the server runs as a thread, next to it', async () => {
  write('server/deep/add-worker.ts', `import { parentPort } from 'node:worker_threads'\nparentPort?.postMessage(1 + 1)`)
  write(
    'server/deep/said.ts',
    `import { Worker } from 'node:worker_threads'
     const startWorker = (module: string, file: string) => new Worker(new URL(file, module))
     export const said: Worker = startWorker(import.meta.url, 'add-worker.ts')`,
  )
  write('server/main.ts', `import { said } from './deep/said.ts'\nsaid.on('message', console.log)`)
  await buildServer({ root })
  rmSync(join(root, 'server'), { recursive: true })
  expect(run()).toBe('2')
})

test('bundles it again after one of its sources has changed', async () => {
  write('server/deep/other.ts', `export const other = 'one'`)
  write('server/deep/count-process.ts', `import { other } from './other.ts'\nconsole.log(other)`)
  write('server/deep/program.ts', `export const program = new URL('./count-process.ts', import.meta.url)`)
  write('server/main.ts', `import { program } from './deep/program.ts'\nconsole.log(program.pathname)`)
  await buildServer({ root })
  const count = () =>
    execFileSync(process.execPath, [join(root, 'dist/server-count-process.mjs')], { encoding: 'utf8' })
  expect(count().trim()).toBe('one')
  write('server/deep/other.ts', `export const other = 'two'`, 30)
  await buildServer({ root })
  expect(count().trim()).toBe('two')
})

test('contains what a module of it makes when it is bundled, and is made again when that changes', async () => {
  write('server/deep/words.txt', 'first')
  write(
    'server/deep/verifier-scripts.ts',
    `import { readFileSync } from 'node:fs'
     const file = new URL('words.txt', import.meta.url)
     export const scripts = () => ({ page: readFileSync(file, 'utf8'), command: '' })
     export const sources = () => [file.pathname]`,
  )
  write('server/main.ts', `import { scripts } from './deep/verifier-scripts.ts'\nconsole.log(scripts().page)`)
  await buildServer({ root })
  write('server/deep/words.txt', 'second', 30)
  expect(run()).toBe('first')
  await buildServer({ root })
  expect(run()).toBe('second')
})
