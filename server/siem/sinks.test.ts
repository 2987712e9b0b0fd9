import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { loadConfig } from '#server/kernel/config.ts'
import { loadSinks } from './sinks.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-siem-'))
  await writeFile(join(folder, 'token'), 'secret-of-a-file\n')
  await writeFile(join(folder, 'empty'), '\n')
})
afterAll(() => rm(folder, { recursive: true }))

async function load(content: unknown, environment: Record<string, string> = {}) {
  const path = join(folder, 'siem.json')
  await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content))
  return await loadSinks(loadConfig({ SIEM_SINKS: path, ...environment }))
}
const tenants = ['northwind']
const syslog = { name: 'soc', tenants, kind: 'syslog', host: 'siem.example' }
const hec = { name: 'splunk', tenants, kind: 'hec', url: 'https://splunk.example:8088' }
const otlp = { name: 'collector', tenants, kind: 'otlp', url: 'https://collector.example/v1/logs' }

describe('the file of sinks', () => {
  test('is read with secrets from files and from variables', async () => {
    const token = { file: join(folder, 'token') }
    const headers = { authorization: { env: 'SIEM_COLLECTOR' } }
    const sinks = await load(
      {
        sinks: [
          { ...syslog, from: '2026-11-01' },
          { ...hec, token },
          { ...otlp, headers },
        ],
      },
      { SIEM_COLLECTOR: 'Bearer x' },
    )
    expect(sinks.map(({ name, from }) => [name, from])).toEqual([
      ['soc', '2026-11-01'],
      ['splunk', undefined],
      ['collector', undefined],
    ])
    expect(sinks[0]?.tenants).toEqual(new Set(tenants))
    await Promise.all(sinks.map((sink) => sink.close()))
  })

  test('is optional', async () => {
    expect(await loadSinks(loadConfig({}))).toEqual([])
  })

  test.each<[string, unknown, RegExp]>([
    ['that is not JSON', '{', /JSON/],
    ['without tenants', { sinks: [{ ...syslog, tenants: [] }] }, /tenants/],
    ['of an unknown kind', { sinks: [{ ...syslog, kind: 'udp' }] }, /kind/],
    ['that repeats a name', { sinks: [syslog, syslog] }, /two sinks are named soc/],
    ['without TLS', { sinks: [{ ...otlp, url: 'http://collector.example/v1/logs' }] }, /Use https/],
    ['with a secret in it', { sinks: [{ ...hec, token: 'secret' }] }, /token/],
    ['with a variable of another purpose', { sinks: [{ ...hec, token: { env: 'MASTER_KEY' } }] }, /begins with SIEM_/],
    ['with a variable that is not set', { sinks: [{ ...hec, token: { env: 'SIEM_X' } }] }, /splunk: SIEM_X is empty/],
    ['with a certificate without its key', { sinks: [{ ...syslog, cert: 'x.pem' }] }, /cert and key/],
    ['with an authority that is missing', { sinks: [{ ...syslog, ca: '/missing.pem' }] }, /missing\.pem/],
    ['with a day that does not exist', { sinks: [{ ...syslog, from: '2026-02-30' }] }, /from/],
  ])('is refused %s, and the error names it', async (_name, content, expected) => {
    await expect(load(content)).rejects.toThrow(/^SIEM_SINKS: .*siem\.json can't be used: /)
    await expect(load(content)).rejects.toThrow(expected)
  })

  test('is refused with an empty file of a secret', async () => {
    await expect(load({ sinks: [{ ...hec, token: { file: join(folder, 'empty') } }] })).rejects.toThrow(
      /empty is empty/,
    )
  })
})
