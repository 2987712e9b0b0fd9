import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

// The commands of package.json as typed in a shell, in an empty folder with an installation that does not exist yet.

const root = join(import.meta.dirname, '../..')
const { scripts }: { scripts: Record<string, string> } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
/** The others are programs of other projects. */
const ours = Object.entries(scripts).flatMap(([name, script]) => {
  const [, file] = /^(?:exec )?node (\S+)$/.exec(script) ?? []
  return file === undefined ? [] : [[name, file] as const]
})

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-arguments-'))
})
afterAll(() => rm(folder, { recursive: true }))

const run = (file: string, ...args: string[]) =>
  new Promise<{ code: number; out: string; error: string }>((resolve) => {
    // A setting that is wrong is said once the command line is right.
    const env = { NODE_ENV: 'test', PATH: process.env.PATH, DATA_DIR: join(folder, 'data'), PORT: 'abc' } as const
    const options = { cwd: folder, env, timeout: 30_000 }
    const child = execFile(process.execPath, [join(root, file), ...args], options, (_failure, out, error) =>
      resolve({ code: child.exitCode ?? -1, out, error }),
    )
  })

describe('a command of package.json', () => {
  test('is one of many', () => {
    expect(ours.map(([name]) => name)).toEqual(
      expect.arrayContaining(['start', 'rotate-master-key', 'sbom', 'release', 'demo', 'backup', 'tenant', 'bench']),
    )
  })

  test.each(ours)(
    '%s prints its usage for --help, and refuses what it does not know, without an effect',
    async (name, file) => {
      const [help, option, words] = await Promise.all([
        run(file, '--help'),
        run(file, '--no-such-option'),
        run(file, 'one', 'two'),
      ])
      expect(help).toEqual({ code: 0, out: expect.stringMatching(/^(?:npm|countersign-server) /), error: '' })
      expect(help.out).toContain(name)
      for (const refused of [option, words]) {
        expect([refused.code, refused.out], refused.error).toEqual([2, ''])
        expect(refused.error).not.toMatch(/^ +at |To specify|node:/m)
      }
      expect(await readdir(folder)).toEqual([])
    },
  )

  test.each(['backup', 'restore', 'tenant', 'demo'])(
    '%s says which setting is wrong once its arguments are right',
    async (name) => {
      const args = { backup: ['all.backup', '--unencrypted'], restore: ['all.backup'], tenant: ['list'], demo: [] }[
        name
      ]
      const { code, error } = await run(`cli/${name}.mjs`, ...(args ?? []))
      expect([code, error]).toEqual([1, expect.stringMatching(/^PORT must be /)])
    },
  )

  test.each([
    [['backup.mjs', 'all.backup', '--recipient'], '--recipient needs a value.\nnpm run backup --'],
    [['backup.mjs', 'all.backup', '--recipient', '--unencrypted'], '--recipient needs a value.\nnpm run backup --'],
    [['backup.mjs', 'all.backup', '--to', 'x'], "Unknown option '--to'.\nnpm run backup --"],
    [['release/main.mjs', '--folder'], '--folder needs a value.\nnpm run release --'],
  ])('says of %j what is wrong, in words for the person who typed it', async ([file = '', ...args], message) => {
    const { code, error } = await run(join('cli', file), ...args)
    expect([code, error]).toEqual([2, expect.stringContaining(message)])
    expect(error.startsWith(message)).toBe(true)
  })
})
