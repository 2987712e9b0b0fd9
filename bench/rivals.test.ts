import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freePort } from '#server/testing/free-port.ts'
import { batchesIn } from './cases/case-04-collector.ts'
import { startProgram } from './child.ts'
import { figure } from './report.ts'
import { unlessMissing } from './rivals.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-rivals-'))
})
afterAll(() => rm(folder, { recursive: true }))

test('a rival whose program is missing is one line that names the program', async () => {
  const fields = { case: 1, job: 'a token' }
  const measured = [figure({ ...fields, ours: 'measured' })]
  const skipped = await unlessMissing(['bash', 'no-such-program'], fields, () => Promise.resolve(measured))
  expect(skipped).toEqual([figure({ ...fields, rival: true, ours: 'SKIP(no no-such-program)' })])
  expect(await unlessMissing(['bash'], fields, () => Promise.resolve(measured))).toBe(measured)
})

const message = (bytes: number) => {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(bytes)
  return Buffer.concat([length, Buffer.alloc(bytes, 1)])
}

test('counts the batches that the collector wrote, and refuses a file that ends within one', async () => {
  const file = join(folder, 'spans')
  const whole = Buffer.concat([message(70_000), message(3), message(0)])
  await writeFile(file, whole)
  expect(await batchesIn(file)).toBe(3)
  for (const cut of [1, 5, 6]) {
    await writeFile(file, whole.subarray(0, -cut))
    await expect(batchesIn(file)).rejects.toThrow('incomplete')
  }
})

const serverOf = (status: number) =>
  `const server = require('node:http').createServer((_, res) => res.writeHead(${status}).end())
  server.listen(Number(process.env.PORT), '127.0.0.1')`

test('a program is ready once it answers, and ends when it is stopped', async () => {
  const PORT = String(await freePort())
  const address = `http://127.0.0.1:${PORT}/`
  const program = await startProgram(process.execPath, ['-e', serverOf(405)], { address, environment: { PORT } })
  expect((await fetch(address)).status).toBe(405)
  await program.stop()
  expect(() => process.kill(program.pid, 0)).toThrow('ESRCH')
})

test('a program that ends before it answers is an error with what it said', async () => {
  const address = `http://127.0.0.1:${await freePort()}/`
  const program = ['-e', 'throw new Error("this port is taken")']
  await expect(startProgram(process.execPath, program, { address })).rejects.toThrow('this port is taken')
})

test('a program that answers with an error only is stopped', async () => {
  const PORT = String(await freePort())
  const address = `http://127.0.0.1:${PORT}/`
  const options = { address, environment: { PORT }, patienceMs: 2000 }
  await expect(startProgram(process.execPath, ['-e', serverOf(503)], options)).rejects.toThrow('did not start')
  await expect(fetch(address)).rejects.toThrow()
})
