import { readFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import type { SpanProof } from '#lib/schemas/traces.ts'
import { verifySpanProof } from '#lib/verify-span-proof.ts'
import { newSpanId, newTraceId } from '#server/kernel/ids.ts'
import { call, clientToken, externalId, personToken } from './cases.ts'
import { expect, expectAccessible, test } from './fixtures.ts'

type Proof = SpanProof & { verifierKey: string }
type Sent = { traceId: string; spanId: string }

/** One span of telemetry with a resource, whose record a checkpoint covers. */
async function encryptedSpan(origin: string): Promise<Sent> {
  const sent = { traceId: newTraceId(), spanId: newSpanId() }
  const now = BigInt(Date.now()) * 1_000_000n
  const span = {
    ...sent,
    name: 'chat small-1',
    startTimeUnixNano: `${now}`,
    endTimeUnixNano: `${now + 1_000_000n}`,
    attributes: [{ key: 'gen_ai.operation.name', value: { stringValue: 'chat' } }],
  }
  const resource = { attributes: [{ key: 'service.name', value: { stringValue: 'searcher' } }] }
  const answer = await fetch(`${origin}/v1/traces`, {
    method: 'POST',
    headers: { authorization: `Bearer ${await clientToken(origin, 'telemetry')}`, 'content-type': 'application/json' },
    body: JSON.stringify({ resourceSpans: [{ resource, scopeSpans: [{ spans: [span] }] }] }),
  })
  expect(answer.status).toBe(200)
  const vera = await personToken(origin, 'vera')
  await expect
    .poll(async () => (await call<Proof>(origin, vera, 'query', 'traces.getSpanProof', sent)).record.seal, {
      timeout: 120_000,
    })
    .toBe('sealed')
  return sent
}

const decryptSpan = async (page: Page, { traceId, spanId }: Sent) => {
  await page.goto(`/t/${externalId()}/traces/${traceId}?span=${spanId}`)
  return page.getByRole('complementary', { name: 'Selected span' })
}

test('Vera checks the proof of one span in her browser, and saves it for anyone who has the key', async ({
  signedIn,
  origin,
}) => {
  const sent = await encryptedSpan(origin)
  const page = await signedIn('vera')
  const detail = await decryptSpan(page, sent)
  await expect(detail.getByRole('link', { name: 'this audit record' })).toBeVisible()
  await detail.getByRole('button', { name: 'Check the proof' }).click()
  const checks = detail.getByRole('list', { name: 'What was checked' }).getByRole('listitem')
  await expect(checks).toHaveText([/^Span/, /^Resource/, /^Batch/, /^Record/, /^Signature/])
  await expect(checks.filter({ hasText: 'The hashed text belongs to this span.' })).toHaveCount(1)
  await expect(checks.filter({ hasText: 'The key signed this root.' })).toHaveCount(1)
  await expectAccessible(page)

  const [download] = await Promise.all([
    page.waitForEvent('download'),
    detail.getByRole('button', { name: 'Save the proof' }).click(),
  ])
  expect(download.suggestedFilename()).toBe(`span-${sent.spanId}.proof.json`)
  const proof: Proof = JSON.parse(await readFile(await download.path(), 'utf8'))
  const failed = async (changed: SpanProof) =>
    (await verifySpanProof(changed, proof.verifierKey)).filter(({ ok }) => !ok).map(({ name }) => name)
  expect(await failed(proof)).toEqual([])
  expect(await failed({ ...proof, leaf: proof.leaf.replace('small-1', 'small-2') })).toEqual(['Batch'])
  expect(await failed({ ...proof, spanId: newSpanId() })).toEqual(['Span'])
})

test('Omar sees which record commits to a span, and which roles may check it', async ({ signedIn, origin }) => {
  const sent = await encryptedSpan(origin)
  const page = await signedIn('omar')
  const detail = await decryptSpan(page, sent)
  await expect(detail.getByRole('button', { name: 'Check the proof' })).toHaveAccessibleDescription(
    'Only an approver or an auditor can do this.',
  )
  await expectAccessible(page)
})
