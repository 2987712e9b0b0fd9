import { afterAll, beforeAll, expect, test } from 'vitest'
import { execute } from '#server/kernel/operation.ts'
import { asOwner } from '#server/testing/owner.ts'
import { testRuntime, testTenant } from '#server/testing/tenant.ts'
import { create } from './create.ts'
import { readManifest } from './manifest.ts'

let running: Awaited<ReturnType<typeof testRuntime>>
beforeAll(async () => {
  running = await testRuntime()
})
afterAll(() => running.close())

/** A step that waits for an input which is not declared. */
const flawed = 'name: older\nspec: { runtime: { steps: [{ id: ok, wait: { input: unknown } }] } }'

test('a version that is older than a rule can be registered again, and a new one can’t', async () => {
  const tenant = await testTenant(running)
  const maria = await tenant.as('maria', { roles: ['developer'] })
  const register = (yaml: string) => execute(create, maria, { yaml }, { name: 'agents.create' })
  await expect(register(flawed)).rejects.toMatchObject({ code: 'invalid_manifest' })
  const { agent } = await register('name: older\nversion: 1.0.0')
  await asOwner(running, 'update agent_versions set manifest_digest = $1 where id = $2', [
    readManifest(flawed).digest,
    agent.versionId,
  ])
  expect((await register(flawed)).agent).toMatchObject({ id: agent.id, versionId: agent.versionId, version: '1.0.0' })
  await expect(register(`${flawed}\nversion: 2.0.0`)).rejects.toMatchObject({ code: 'invalid_manifest' })
})

test('the answer names what is missing in a manifest, also when the agent can run already', async () => {
  const tenant = await testTenant(running)
  const maria = await tenant.as('maria', { roles: ['developer'] })
  const register = (yaml: string) => execute(create, maria, { yaml }, { name: 'agents.create' })
  const { requirements } = await register('metadata: { name: partial }\nspec: { riskTier: high }')
  expect(requirements).toEqual([
    'Another version whose manifest is complete. In this one: spec.runtime: runtime is required.',
    expect.stringContaining('policyBindings.propose'),
    expect.stringContaining('releases.propose'),
  ])
  const complete = await register('metadata: { name: partial }\nspec: { riskTier: high, runtime: { observe: {} } }')
  expect(complete.requirements).toHaveLength(2)
  await asOwner(running, "update agents set status = 'active' where id = $1", [complete.agent.id])
  const next = await register('metadata: { name: partial, version: 3 }\nspec: { riskTier: high }')
  expect(next.requirements).toEqual([expect.stringContaining('runtime is required.')])
})
