'use client'

import { useApi } from '#components/api/api.tsx'
import { isUnknown, useAct } from '#components/api/use-act.ts'
import { keptInBrowser, pageLanguage, readIn } from '#components/language/read-in.ts'
import { failureText } from '#components/session/failure-text.ts'
import type { Session } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/menus/en.ts'
import { MenuChoice, MenuNote } from '#components/ui/controls/menu.tsx'
import { useNotice } from '#components/ui/feedback/live-notice.tsx'
import type { Failure } from '#lib/failure.ts'
import { isPersonal, type Language, languageNames, personalLanguages } from '#lib/languages.ts'

type Option<Value extends string> = { value: Value; label: string }

const names: Option<Language>[] = personalLanguages.map((value) => ({ value, label: languageNames[value] }))

/** The language of the pages in this browser, for someone who has not signed in. */
export function LanguageChoice() {
  return (
    <MenuChoice
      heading={t.language}
      value={pageLanguage}
      options={names}
      onChange={(language) => readIn({ language, from: 'browser' })}
    />
  )
}

/** The person's own language, in every browser and in their mails. */
export function OwnLanguageChoice({ session: { me } }: { session: Session }) {
  const { client } = useApi()
  const notice = useNotice()
  const organisations = me.tenant.branding.language
  const choice = useAct({
    send: client.session.chooseLanguage.mutate,
    touches: ['sessions'],
    onFailed: (failure) => notice(notStored(failure)),
    onDone: ({ language: chosen }) => {
      const language = chosen ?? organisations
      readIn(language === null ? undefined : { language, from: 'account' })
    },
  })
  const { failure, pending } = choice
  const kept = keptInBrowser()
  const chosenHere = kept?.from === 'browser' ? kept.language : undefined
  const options: Option<Language | 'none'>[] = [
    {
      value: 'none',
      label: organisations === null ? t.asBrowser : t.asOrganisation({ language: languageNames[organisations] }),
    },
    ...names,
  ]
  return (
    <>
      <MenuChoice
        heading={t.language}
        value={me.language ?? chosenHere ?? 'none'}
        options={options}
        staysOpen
        onChange={(value) => choice.run({ language: value !== 'none' && isPersonal(value) ? value : null })}
      />
      <MenuNote>
        {pending && t.storingLanguage}
        {failure !== undefined && notStored(failure)}
        {!pending && failure === undefined && t.alsoInMails}
      </MenuNote>
    </>
  )
}

const notStored = (failure: Failure): string =>
  (isUnknown(failure) ? t.languageUnknown : t.languageNotStored)({ problem: failureText(failure) })
