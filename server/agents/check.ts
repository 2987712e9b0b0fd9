import { ApiError } from '#lib/errors.ts'
import { CheckManifestInput, CheckManifestOutput } from '#lib/schemas/agents.ts'
import { query } from '#server/kernel/operation.ts'
import { findMemberByName } from '#server/tenants/store.ts'
import { readManifest, type Warning } from './manifest.ts'
import { positionOf } from './yaml-position.ts'

/** Each place is looked up in the whole text. */
const mostWarnings = 50

/** What agents.create would say of a manifest's text; nothing is registered. */
export const check = query({
  permission: 'agent:create',
  input: CheckManifestInput,
  output: CheckManifestOutput,
  async run({ tx, tenant, input: { yaml } }) {
    try {
      const { owner, warnings } = readManifest(yaml)
      const known = owner === undefined || (await findMemberByName(tx, tenant.id, owner.name)) !== undefined
      return {
        problems: known ? [] : [owner.unknown],
        warnings: warnings.slice(0, mostWarnings).map((one) => placed(yaml, one)),
      }
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      const { issues = [{ path: 'yaml', message: error.message }] } = error
      return { problems: issues, warnings: [] }
    }
  },
})

const placed = (yaml: string, { path, message, at }: Warning) => ({ path, message, ...positionOf(yaml, at) })
