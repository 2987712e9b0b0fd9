'use client'

import { roleName, roleText } from '#components/access/permission-texts.ts'
import { shownText } from '#components/language/shown-text.tsx'
import { Section } from '#components/page/section.tsx'
import { passwordUrl } from '#components/session/provider-client.ts'
import { useSession } from '#components/session/session-provider.tsx'
import { SettingsPage } from '#components/settings/settings-page.tsx'
import * as t from '#components/texts/settings-me/en.ts'
import { Button } from '#components/ui/controls/button.tsx'
import { Copyable } from '#components/ui/controls/copyable.tsx'
import { KeyValue, KeyValues } from '#components/ui/text/key-values.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { type Role, roleNames } from '#lib/permissions.ts'
import { Absences } from './absences.tsx'
import { Passkeys } from './passkeys.tsx'
import { Permissions } from './permissions.tsx'
import { Programs } from './programs.tsx'
import { Sessions } from './sessions.tsx'

/** Shows the identity of the signed-in person, their session, passkeys, absences and permissions. */
export function You() {
  const { me, identity, signOut } = useSession()
  const { principal, tenant } = me
  const changePassword = passwordUrl(identity.organisation)
  return (
    <SettingsPage page="me" title={principal.displayName}>
      <Section title={t.yourMembership}>
        <KeyValues>
          <KeyValue name={t.organisation}>
            <ShownText>{tenant.branding.displayName || tenant.displayName}</ShownText>
          </KeyValue>
          <KeyValue name={t.userName}>
            <ShownText>{principal.username}</ShownText>
          </KeyValue>
          <KeyValue name={t.roles}>
            <Roles roles={principal.roles} />
          </KeyValue>
          <KeyValue name={t.approverGroups}>
            {principal.groups.length === 0 ? t.none : <ShownText>{principal.groups.join(', ')}</ShownText>}
          </KeyValue>
          <KeyValue name={t.memberId}>
            <Copyable value={principal.id} label={t.memberIdInSentence} />
          </KeyValue>
        </KeyValues>
      </Section>
      <Section title={t.yourSessions}>
        <p className="max-w-[75ch]">
          {t.thisBrowserIsSigned({
            username: identity.username,
            shown: shownText,
            organisation: identity.organisation,
          })}
        </p>
        <div>
          <Button onClick={signOut}>{t.signOutInThis}</Button>
        </div>
        <Sessions />
        {changePassword !== undefined && (
          <p>
            {t.changeYourPasswordWhich({
              a: (content) => (
                <a href={changePassword} className="underline">
                  {content}
                </a>
              ),
            })}
          </p>
        )}
      </Section>
      <Programs />
      <Section title={t.yourPasskeys}>
        <Passkeys />
      </Section>
      <Section title={t.yourAbsences}>
        <Absences />
      </Section>
      <Section title={t.yourPermissions}>
        <Permissions />
      </Section>
    </SettingsPage>
  )
}

function Roles({ roles }: { roles: string[] }) {
  if (roles.length === 0) return <span>{t.noneAskTenantAdministrator}</span>
  return (
    <ul className="flex flex-col gap-0.5">
      {roles.map((role) => (
        <li key={role}>
          {roleName(role)}
          {isRole(role) && <span className="text-ink-2">: {roleText[role]}</span>}
        </li>
      ))}
    </ul>
  )
}

const isRole = (name: string): name is Role => roleNames.some((role) => role === name)
