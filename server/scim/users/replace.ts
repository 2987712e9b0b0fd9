import { mutation } from '#server/kernel/operation.ts'
import { scimOnly } from '../door.ts'
import { Replacing } from '../protocol/inputs.ts'
import { changeUser } from './change.ts'
import { ChangedOutput, recordOf } from './changed-output.ts'

/**
 * Replaces what the provider says of a person. `kept`: what a request without these attributes leaves as it is, so that a provider that
 * does not send roles takes none away.
 */
export const replaceUser = mutation({
  ...scimOnly,
  input: Replacing,
  output: ChangedOutput,
  audit: (input, output) => recordOf(input, output),
  run: (context) =>
    changeUser(context, context.input, ({ active, roles }) => {
      const { named, resource } = context.input
      return {
        ...(active === undefined ? {} : { active }),
        ...(named.includes('roles') ? { roles: [] } : roles === undefined ? {} : { roles }),
        ...resource,
      }
    }),
})
