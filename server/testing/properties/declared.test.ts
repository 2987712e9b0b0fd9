import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openapiDocument } from '#server/catalog/openapi.ts'
import { catalogOf, catalogPath } from '#server/catalog/operations.ts'
import { undeclared } from '#server/testing/declared.ts'
import { valid } from '#server/testing/fuzz/from-schema.ts'
import { addressOf, call } from './call.ts'
import { countCases, sized } from './counts.ts'
import { catalog, cells, type Entry, type Matrix, objectToUse, openMatrix, through } from './matrix.ts'

// What the OpenAPI document declares of each operation is what a caller gets: status, media type and body.

let matrix: Matrix
beforeAll(async () => {
  matrix = await openMatrix()
}, 300_000)
afterAll(() => matrix.close())

/** Makes one call. Throws if the document declares another response. Returns its status. */
async function expectDeclared(entry: Entry, input: unknown): Promise<number> {
  const { baseUrl } = matrix.server
  const answer = await call(baseUrl, entry, input, matrix.own.credentials.person)
  const type = answer.headers.get('content-type') ?? ''
  const difference = undeclared(openapiDocument(matrix.own.tenant), catalogPath(entry), entry.method, {
    ...answer,
    type,
  })
  if (difference !== undefined) throw new Error(`${addressOf(entry)}: ${difference}`)
  return answer.status
}

test('for inputs that name an object', async (context) => {
  const succeeded = new Set<string>()
  const cases = await through(
    cells(() => true),
    async (entry, cell) => {
      const input = await cell.input(await objectToUse(entry, matrix.own, cell), matrix.own)
      if ((await expectDeclared(entry, input)) < 400) succeeded.add(addressOf(entry))
      return 1
    },
  )
  // Without these the declared bodies would not have been compared at all.
  expect(succeeded.size).toBeGreaterThan(90)
  countCases(context, cases)
}, 600_000)

test('for inputs that are generated from the schema of the operation', async (context) => {
  const runs = sized(50, 1)
  const failures: string[] = []
  for (const [index, entry] of catalog.entries()) {
    const schema = catalogOf([entry]).operations[0]?.input ?? {}
    await fc
      .assert(
        fc.asyncProperty(valid(schema), async (input) => {
          await expectDeclared(entry, input)
        }),
        { numRuns: runs, seed: index },
      )
      .catch((error: unknown) => failures.push(String(error)))
  }
  expect(failures.join('\n\n')).toBe('')
  countCases(context, runs * catalog.length)
}, 3_600_000)
