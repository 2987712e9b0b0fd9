import { newSpanId, newTraceId } from '#server/kernel/ids.ts'
import { otlpJson } from '#server/testing/otlp.ts'
import { clientToken, home } from './cases.ts'
import { expectEveryView } from './every-view.ts'
import { expect, expectAccessible, test } from './fixtures.ts'

const slug = 'globex'

/** A trace with the subject in a value. */
async function send(origin: string, subject: string): Promise<string> {
  const traceId = newTraceId()
  const response = await fetch(`${origin}/v1/traces`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${await clientToken(origin, 'telemetry', slug)}`,
      'content-type': 'application/json',
    },
    body: otlpJson([{ traceId, spanId: newSpanId(), attributes: [['input.value', `Write to ${subject}.`]] }]),
  })
  expect(response.status).toBe(200)
  return traceId
}

test('a hold protects a trace from an erasure, which ends and states what it left, until the hold is released', async ({
  signedIn,
  origin,
}) => {
  const subject = `pavel.${Date.now()}@mail.example`
  const traceId = await send(origin, subject)
  await send(origin, subject)

  const vera = await signedIn('vera', slug)
  await vera.goto(home(slug))
  await vera.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Privacy' }).click()
  await expect(vera).toHaveTitle(/^(\(\d+\) )?Legal holds · Countersign$/)
  await vera.getByRole('button', { name: 'Place a hold' }).click()
  const placing = vera.getByRole('dialog', { name: 'Place a legal hold' })
  await expect(placing.getByText('Choose what the hold covers.')).toBeVisible()
  await placing.getByRole('radio', { name: 'One trace' }).click()
  await placing.getByRole('textbox', { name: 'Trace ID' }).fill(traceId)
  const reason = `Case ${Date.now()}.`
  await placing.getByRole('textbox', { name: 'Reason' }).fill(reason)
  await expectAccessible(vera)
  await placing.getByRole('button', { name: 'Place the hold' }).click()
  await expect(placing).toBeHidden()
  const hold = vera.getByRole('table', { name: 'Legal holds' }).getByRole('row', { name: traceId.slice(0, 8) })
  await expect(hold).toContainText('In force')
  await expectEveryView(vera, 'privacy-holds')

  const pia = await signedIn('pia', slug)
  await pia.goto(`${home(slug)}/privacy/erasures`)
  await pia.getByRole('button', { name: 'Erase a person’s data' }).click()
  const erasing = pia.getByRole('dialog', { name: 'Erase a person’s data' })
  await erasing.getByRole('textbox', { name: 'Text that identifies the person' }).fill(subject)
  await erasing.getByRole('textbox', { name: 'Reason' }).fill(`Asked by ${subject}.`)
  await expect(erasing.getByText('The reason contains the text to erase.')).toBeVisible()
  await erasing.getByRole('textbox', { name: 'Reason' }).fill('Request 31 of the data subject.')
  await erasing.getByRole('checkbox').check()
  await expectAccessible(pia)
  await erasing.getByRole('button', { name: 'Erase permanently' }).click()
  await expect(erasing).toBeHidden()
  const erasure = pia.getByRole('table', { name: 'Erasures' }).getByRole('row', { name: 'Request 31' }).first()
  await expect(erasure).toContainText('Completed, some content remains')
  await expect(erasure).toContainText('1 record with the subject is under a legal hold.')
  await expect(erasure).toContainText('1 value')
  await expect(pia.getByText(subject)).toBeHidden()
  await expectEveryView(pia, 'privacy-erasures')

  await hold.getByRole('button', { name: 'Release' }).click()
  const releasing = vera.getByRole('dialog', { name: /Release the hold/ })
  await releasing.getByRole('textbox', { name: 'Reason' }).fill('The case is closed.')
  await releasing.getByRole('button', { name: 'Release' }).click()
  await expect(releasing).toBeHidden()
  await expect(hold).toContainText('Released')
  await expect(hold).toContainText('The case is closed.')
})

test('retention shows the rule, its exceptions and what it deletes; a person without the permission sees who can do what', async ({
  signedIn,
}) => {
  const vera = await signedIn('vera', slug)
  await vera.goto(`${home(slug)}/privacy/retention`)
  await expect(vera.getByRole('region', { name: 'The rule' })).toContainText(/Never: no period is set|days/)
  await expect(vera.getByRole('link', { name: /legal hold/ }).first()).toBeVisible()
  await expect(vera.getByText('Nothing was deleted yet.')).toBeVisible()
  await expectEveryView(vera, 'privacy-retention')

  const maria = await signedIn('maria', slug)
  for (const [path, permission] of [
    ['holds', 'hold:manage'],
    ['erasures', 'subject:erase'],
  ]) {
    await maria.goto(`${home(slug)}/privacy/${path}`)
    await expect(maria.getByText(permission ?? '').first()).toBeVisible()
    await expect(maria.getByRole('table')).toBeHidden()
    await expectAccessible(maria)
  }
})
