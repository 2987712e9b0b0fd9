import { mutation } from '#server/kernel/operation.ts'
import { scimOnly } from '../door.ts'
import { Patching } from '../protocol/inputs.ts'
import { applyPatch } from '../protocol/patch.ts'
import { enterpriseUser, unstoredOfUser, userSchema } from '../schemas/user.ts'
import { changeUser } from './change.ts'
import { ChangedOutput, recordOf } from './changed-output.ts'

const ofUser = { schema: userSchema, unstored: unstoredOfUser, extensions: [enterpriseUser] }

/** Changes parts of what the provider says of a person. */
export const patchUser = mutation({
  ...scimOnly,
  input: Patching,
  output: ChangedOutput,
  audit: (input, output) => recordOf(input, output),
  run: (context) =>
    changeUser(context, context.input, (before) => {
      const after = applyPatch({ ...ofUser, id: context.input.id }, before, context.input.operations)
      // Unlike a replacement, a change that ends without roles has taken them away.
      return { ...after, roles: after.roles ?? [] }
    }),
})
