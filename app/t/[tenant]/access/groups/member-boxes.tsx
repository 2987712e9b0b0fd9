'use client'

import { useId } from 'react'
import { usePages } from '#components/api/use-pages.ts'
import { RequestFailed } from '#components/session/request-failed.tsx'
import * as t from '#components/texts/access-groups/en.ts'
import { Button } from '#components/ui/controls/button.tsx'
import { Checkbox } from '#components/ui/controls/checkbox.tsx'
import { Skeleton } from '#components/ui/feedback/skeleton.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { limits } from '#lib/limits.ts'
import { permissionsOf } from '#lib/permissions.ts'
import type { Actor } from '#lib/schemas/common.ts'
import type { Member } from '#lib/schemas/members.ts'
import { useTRPC } from '#lib/trpc.ts'

type MemberBoxesProps = {
  legend: string
  /** The current members. They are offered even if the loaded pages of the list don't contain them. */
  current: readonly Actor[]
  chosen: ReadonlySet<string>
  onChange: (id: string, chosen: boolean) => void
  locked: boolean
}

/** Checkboxes for the people of a group. Those who couldn't decide in it yet are marked. */
export function MemberBoxes({ legend, current, chosen, onChange, locked }: MemberBoxesProps) {
  const id = useId()
  const trpc = useTRPC()
  const pages = usePages(trpc.members.list, { kind: 'person', limit: limits.pageRows })
  const { items, error, hasMore, loadMore, loadingMore, reload } = pages
  if (items === undefined)
    return error === null ? (
      <Skeleton label={t.loadingMembers} rows={4} />
    ) : (
      <RequestFailed
        error={error}
        what={t.theMembersList}
        plural
        act={t.seeMembers}
        permission="member:manage"
        retry={reload}
      />
    )
  const people = items.filter((member) => member.status !== 'removed')
  const others = current.filter((member) => !people.some((person) => person.id === member.id))
  return (
    <fieldset aria-labelledby={id} className="flex flex-col gap-1">
      <legend id={id} className="mb-1.5 font-semibold text-dense">
        {legend}
      </legend>
      {others.map((member) => (
        <Checkbox
          key={member.id}
          label={<ShownText>{member.displayName}</ShownText>}
          checked={chosen.has(member.id)}
          onChange={(on) => onChange(member.id, on)}
          locked={locked}
        />
      ))}
      {people.map((member) => (
        <Checkbox
          key={member.id}
          label={<PersonLabel member={member} namesakes={people.some((one) => isNamesake(one, member))} />}
          checked={chosen.has(member.id)}
          onChange={(on) => onChange(member.id, on)}
          locked={locked}
        />
      ))}
      {hasMore && (
        <div>
          <Button onClick={loadMore} busyLabel={loadingMore ? t.loadingMorePeople : undefined}>
            {t.showMorePeople}
          </Button>
        </div>
      )}
    </fieldset>
  )
}

const isNamesake = (one: Member, other: Member) => one.id !== other.id && one.displayName === other.displayName

/** `namesakes`: someone else in the list has the same name. */
function PersonLabel({ member, namesakes }: { member: Member; namesakes: boolean }) {
  const note = noteOf(member)
  return (
    <span>
      <ShownText>{member.displayName}</ShownText>
      {namesakes && (
        <span className="text-dense text-ink-2">
          {' '}
          <ShownText>{member.username}</ShownText>
        </span>
      )}
      {note !== undefined && <span className="text-dense text-ink-2"> ({note})</span>}
    </span>
  )
}

function noteOf({ status, roles }: Member): string | undefined {
  if (status !== 'active') return status
  return permissionsOf(roles).has('approval:decide') ? undefined : t.cantDecideYetNeeds
}
