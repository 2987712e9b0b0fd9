import { ApiError } from '#lib/errors.ts'
import { CheckManifestInput, CheckManifestOutput } from '#lib/schemas/agents.ts'
import { query } from '#server/kernel/operation.ts'
import { findMemberByName } from '#server/tenants/store.ts'
import { readManifest, type Warning } from './manifest.ts'
import { positionOf } from './yaml-position.ts'

/** Limited because each position is found by parsing the whole text. */
const mostWarnings = 50

/** The errors and warnings that agents.create would return for a manifest, without registering it. */
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
