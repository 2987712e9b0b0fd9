import { spawnSync } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { insertBoundRows } from '#server/testing/configuration.ts'
import { exportRuntime, twoDaysArchive } from '#server/testing/exports.ts'
import { stepsIn } from '#server/testing/readme-steps.ts'
import { sendTelemetry } from '#server/testing/send-telemetry.ts'

// README.txt of a real archive suffices: its commands are run as they are written.

let runtime: Awaited<ReturnType<typeof exportRuntime>>
let bytes: Buffer
let yesterday: string
let today: string
beforeAll(async () => {
  runtime = await exportRuntime()
  ;({ bytes, yesterday, today } = await twoDaysArchive(runtime, async (tenant, auditor) => {
    await insertBoundRows(runtime, tenant, auditor)
    await sendTelemetry(tenant)
  }))
})
afterAll(() => runtime.close())

const missing = (program: string) => spawnSync(program, ['--version']).status !== 0

const stepsOf = async (top: string) => stepsIn(await readFile(join(top, 'README.txt'), 'utf8'))

const run = (top: string, command: string | undefined) =>
  spawnSync('sh', ['-c', command ?? 'exit 99'], { cwd: top, encoding: 'utf8', env: { ...process.env, LC_ALL: 'C' } })

const flip = async (top: string, path: string, at: number) => {
  const data = await readFile(join(top, path))
  data[at] = (data[at] ?? 0) ^ 1
  await writeFile(join(top, path), data)
}

describe('every command of README.txt', () => {
  test('passes on a true archive', async () => {
    const { top } = await runtime.extract('readme', bytes)
    const steps = await stepsOf(top)
    expect([...steps.keys()]).toEqual(['1', '2', '3', '4', '5', '6', '7', '8', '12', '13'])
    for (const [step, command] of steps) {
      if (step === '13' || (step === '8' && missing('python3'))) continue
      const { status, stdout, stderr } = run(top, command)
      expect({ step, status, stderr: stderr.replace(/.*Verif.*\n/, '') }).toEqual({ step, status: 0, stderr: '' })
      if (['3', '5', '12'].includes(step)) expect(stdout).toContain('Signature Verified Successfully')
      if (step === '7') expect(stdout.match(/: signed: yes$/gm)).toHaveLength(3)
      if (step !== '8') continue
      expect(stdout.match(/: OK$/gm)).toHaveLength(6)
      expect(stdout).toMatch(/^\d\d rows are as the log commits to them: OK$/m)
      expect(stdout).toMatch(/^2 spans of telemetry are as the log commits to them, 0 can't be compared: OK$/m)
    }
  })

  test('has lines of at most 80 columns in ASCII, except commands', async () => {
    const { text } = await runtime.extract('columns', bytes)
    const readme = await text('README.txt')
    expect(readme).toMatch(/^[\n -~]*$/)
    const prose = readme.slice(0, readme.indexOf('THE PROGRAMS OF')).split('\n')
    expect(
      prose.filter((line) => line.length > 80 && !/^ {3,4}(openssl|grep|sed) |^Extract the ZIP/.test(line)),
    ).toEqual([])
  })

  test.each<[string, string, string, number]>([
    ['a changed record', '8', 'data/audit/{today}.ndjson', 400],
    ['a changed leaf', '8', 'data/proofs/{today}.leaves', 40],
    ['another size in a checkpoint', '7', 'data/proofs/{today}.checkpoint', 60],
    ['another path to the log of closed days', '7', 'data/proofs/seals.checkpoint', 50],
    ['another statement in the Sigstore bundle', '12', 'seal/bundle.sigstore.json', 400],
    ['another byte outside of what is signed in the Sigstore bundle', '12', 'seal/bundle.sigstore.json', 20],
    ['a changed verify.html', '2', 'verify.html', 100],
    ['a changed list of tag files', '5', 'tagmanifest-sha256.txt', 10],
  ])('finds %s in step %s', async (name, step, path, at) => {
    if (step === '8' && missing('python3')) return
    const { top } = await runtime.extract(`flip ${name}`.replaceAll(' ', '-'), bytes)
    await flip(top, path.replace('{today}', today), at)
    expect(run(top, (await stepsOf(top)).get(step)).status).not.toBe(0)
  })

  test.each([
    ['column', /"status":"active"/, '"status":"retired"', 'the row of agent '],
    [
      'opened name',
      /"username":\{"salt":"([\w-]+)","value":"[^"]*"/,
      '"username":{"salt":"$1","value":"mallory"',
      'username of member ',
    ],
    ['revision', /("bound":\{"type":"agent",.*?"revision":)\d+/, '$1 9', 'the row of agent '],
    [
      'member that is there twice',
      /"status":"active"/,
      '"status":"retired","status":"active"',
      'two members of one name',
    ],
  ])('finds a changed %s of a row, in step 8', async (what, before, after, reason) => {
    if (missing('python3')) return
    const { top } = await runtime.extract(`row-${what.replace(' ', '-')}`, bytes)
    const path = join(top, `data/${reason.includes('member') ? 'members' : 'agents'}.ndjson`)
    const text = await readFile(path, 'utf8')
    expect(text).toMatch(before)
    await writeFile(path, text.replace(before, after))
    const { status, stderr } = run(top, (await stepsOf(top)).get('8'))
    expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringContaining(`FAILS: ${reason}`) })
  })

  test('finds a day in the log of closed days at another place, in step 8', async () => {
    if (missing('python3')) return
    const { top } = await runtime.extract('place', bytes)
    const path = join(top, `data/proofs/${yesterday}.seal.tlog-proof`)
    await writeFile(path, (await readFile(path, 'utf8')).replace('index 0', 'index 1'))
    const { status, stderr } = run(top, (await stepsOf(top)).get('8'))
    expect({ status, stderr }).toEqual({ status: 1, stderr: `FAILS: ${yesterday}: the seal\n` })
  })
})
