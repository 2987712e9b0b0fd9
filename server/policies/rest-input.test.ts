import { expect, test } from 'vitest'
import { CreatePolicyVersionInput, ListPoliciesInput } from '#lib/schemas/policies.ts'
import { bodyFor, pageFrom } from './rest-input.ts'

const policyId = '0197c0de-0000-7000-8000-000000000001'

test('reads page parameters from the query string and rejects unknown ones', () => {
  expect(ListPoliciesInput.parse(pageFrom({}))).toEqual({ limit: 50 })
  expect(ListPoliciesInput.parse(pageFrom({ limit: '2', cursor: policyId }))).toEqual({ limit: 2, cursor: policyId })
  const wrong: Record<string, string>[] = [{ limit: 'x' }, { limit: '' }, { offset: '3' }]
  for (const query of wrong) expect(ListPoliciesInput.safeParse(pageFrom(query)).success).toBe(false)
})

test('takes the object from the path and rejects a body that repeats it', () => {
  expect(CreatePolicyVersionInput.parse(bodyFor({ policyId }, { source: 's' }))).toEqual({ policyId, source: 's' })
  for (const body of [{ source: 's', policyId: policyId.replace('1', '2') }, null, [], 'source'])
    expect(CreatePolicyVersionInput.safeParse(bodyFor({ policyId }, body)).success).toBe(false)
})
