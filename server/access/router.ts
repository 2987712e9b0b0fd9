import { procedure, router } from '#server/kernel/trpc.ts'
import { getSettings } from './get-settings.ts'
import { create as createGroup } from './groups/create.ts'
import { list as listGroups } from './groups/list.ts'
import { listProvisioned } from './groups/list-provisioned.ts'
import { setMembers } from './groups/set-members.ts'
import { invite } from './members/invite.ts'
import { list } from './members/list.ts'
import { remove } from './members/remove.ts'
import { resetPassword } from './members/reset-password.ts'
import { resume } from './members/resume.ts'
import { setRoles } from './members/set-roles.ts'
import { suspend } from './members/suspend.ts'
import { vouch } from './members/vouch.ts'
import { settingsHistory } from './settings-history.ts'
import { updateSettings } from './update-settings.ts'

export const members = router({
  invite: procedure.mutation(invite),
  list: procedure.query(list),
  remove: procedure.mutation(remove),
  resetPassword: procedure.mutation(resetPassword),
  resume: procedure.mutation(resume),
  setRoles: procedure.mutation(setRoles),
  suspend: procedure.mutation(suspend),
  vouch: procedure.mutation(vouch),
})

export const groups = router({
  create: procedure.mutation(createGroup),
  list: procedure.query(listGroups),
  listProvisioned: procedure.query(listProvisioned),
  setMembers: procedure.mutation(setMembers),
})

/** Merged into tenants.* in server/router.ts. */
export const tenantSettings = router({
  getSettings: procedure.query(getSettings),
  settingsHistory: procedure.query(settingsHistory),
  updateSettings: procedure.mutation(updateSettings),
})
