import { ApiError } from '#lib/errors.ts'
import { ChooseLanguageInput, ChooseLanguageOutput } from '#lib/schemas/tenants.ts'
import { mutation } from '#server/kernel/operation.ts'
import { setLanguage } from './language-store.ts'

/** session.chooseLanguage: the language in which the caller reads the console, in every browser, and their mails. */
export const chooseLanguage = mutation({
  permission: 'any',
  input: ChooseLanguageInput,
  output: ChooseLanguageOutput,
  audit: ({ language }, output) => ({
    action: 'member.language_chosen',
    resource: { type: 'member', id: output?.id ?? 'none' },
    details: { language },
  }),
  async run({ tx, tenant, principal, input: { language } }) {
    if (principal.kind !== 'person') throw new ApiError('forbidden', 'Only people read the console and mails.')
    await setLanguage(tx, tenant.id, principal.memberId, language)
    return { id: principal.memberId, language }
  },
})
