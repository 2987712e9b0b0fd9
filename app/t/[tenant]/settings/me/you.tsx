'use client'

import { roleName, roleText } from '#components/access/permission-texts.ts'
import { Section } from '#components/page/section.tsx'
import { passwordUrl } from '#components/session/provider-client.ts'
import { useSession } from '#components/session/session-provider.tsx'
import { SettingsPage } from '#components/settings/settings-page.tsx'
import { Button } from '#components/ui/controls/button.tsx'
import { Copyable } from '#components/ui/controls/copyable.tsx'
import { KeyValue, KeyValues } from '#components/ui/text/key-values.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { type Role, roleNames } from '#lib/permissions.ts'
import { Absences } from './absences.tsx'
import { Passkeys } from './passkeys.tsx'
import { Permissions } from './permissions.tsx'
import { Sessions } from './sessions.tsx'

/** Shows the identity of the signed-in person, their session, passkeys, absences and permissions. */
export function You() {
  const { me, identity, signOut } = useSession()
  const { principal, tenant } = me
  const changePassword = passwordUrl(identity.organisation)
  return (
    <SettingsPage page="me" title={principal.displayName}>
      <Section title="Your membership">
        <KeyValues>
          <KeyValue name="Organisation">
            <ShownText>{tenant.branding.displayName || tenant.displayName}</ShownText>
          </KeyValue>
          <KeyValue name="User name">
            <ShownText>{principal.username}</ShownText>
          </KeyValue>
          <KeyValue name="Roles">
            <Roles roles={principal.roles} />
          </KeyValue>
          <KeyValue name="Approver groups">
            {principal.groups.length === 0 ? 'None' : <ShownText>{principal.groups.join(', ')}</ShownText>}
          </KeyValue>
          <KeyValue name="Member ID">
            <Copyable value={principal.id} label="member ID" />
          </KeyValue>
        </KeyValues>
      </Section>
      <Section title="Your sessions">
        <p className="max-w-[75ch]">
          This browser is signed in as <ShownText>{identity.username}</ShownText> of{' '}
          <ShownText>{identity.organisation}</ShownText>, in all of its tabs. Signing out ends that session at the
          identity provider, and deletes its data from this browser. Other devices stay signed in.
        </p>
        <div>
          <Button onClick={signOut}>Sign out in this browser</Button>
        </div>
        <Sessions />
        {changePassword !== undefined && (
          <p>
            <a href={changePassword} className="underline">
              Change your password
            </a>
            , which signs you out on all devices.
          </p>
        )}
      </Section>
      <Section title="Your passkeys">
        <Passkeys />
      </Section>
      <Section title="Your absences">
        <Absences />
      </Section>
      <Section title="Your permissions">
        <Permissions />
      </Section>
    </SettingsPage>
  )
}

function Roles({ roles }: { roles: string[] }) {
  if (roles.length === 0) return <span>None. Ask a tenant administrator for a role.</span>
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
