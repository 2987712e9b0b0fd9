import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'

// More than a pipe holds.
const size = 1_000_000

test.each(['stdout', 'stderr'] as const)(
  'a slow reader of %s gets all of it before the process ends',
  async (stream) => {
    const child = spawn(process.execPath, [
      '--input-type=module',
      '--eval',
      `import { exitAfterOutput } from ${JSON.stringify(join(import.meta.dirname, 'exit-after-output.mjs'))}
    setInterval(() => undefined, 1000)
    for (let line = 0; line < 100; line++) process.${stream}.write('x'.repeat(${size / 100}))
    await exitAfterOutput(3)
    process.${stream}.write('later')`,
    ])
    // The process has written all that fits by then. Without waiting for the reader, it would be over.
    await delay(500)
    const [output, [code]] = await Promise.all([text(child[stream]), once(child, 'close')])
    expect(output.length).toBe(size)
    expect(code).toBe(3)
  },
)

test('an output whose reader has left does not keep the process', async () => {
  const child = spawn(process.execPath, [
    '--input-type=module',
    '--eval',
    `import { exitAfterOutput } from ${JSON.stringify(join(import.meta.dirname, 'exit-after-output.mjs'))}
    process.stdout.on('error', () => undefined)
    process.stdout.write('x'.repeat(${size}))
    await exitAfterOutput(4)`,
  ])
  child.stdout.destroy()
  const [code] = await once(child, 'exit')
  expect(code).toBe(4)
})
