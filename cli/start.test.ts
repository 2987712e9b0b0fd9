import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, test } from 'vitest'

test('a SIGTERM that npm gets reaches what `npm start` runs, which ends before npm does', async () => {
  const { scripts } = JSON.parse(readFileSync(join(import.meta.dirname, '../package.json'), 'utf8'))
  const folder = await mkdtemp(join(tmpdir(), 'countersign-npm-'))
  await mkdir(join(folder, 'cli'))
  await writeFile(join(folder, 'package.json'), JSON.stringify({ name: 'started', scripts: { start: scripts.start } }))
  await writeFile(
    join(folder, 'cli/start.mjs'),
    `process.on('SIGTERM', () => { process.stdout.write('draining\\n'); setTimeout(() => process.exit(0), 200) })
     setInterval(() => undefined, 1000)
     process.stdout.write('ready\\n')`,
  )
  const npm = spawn('npm', ['start', '--silent'], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] })
  const lines: string[] = []
  for await (const line of createInterface({ input: npm.stdout })) {
    lines.push(line)
    if (line === 'ready') npm.kill('SIGTERM')
  }
  if (npm.exitCode === null && npm.signalCode === null) await once(npm, 'exit')
  expect(lines).toEqual(['ready', 'draining'])
  await rm(folder, { recursive: true })
})
