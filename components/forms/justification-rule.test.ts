import { expect, test } from 'vitest'
import { justificationRule } from '#lib/rules/justification.ts'
import { justificationHint, whyNotJustification } from './justification-rule.ts'

test('the page says in English what the API says of a justification', () => {
  expect(whyNotJustification('Because.')).toBe(justificationRule)
  expect(justificationRule).toContain(justificationHint().slice(0, -1))
  expect(whyNotJustification('A customer asked about it.')).toBeUndefined()
})
