import { ApiError } from '#lib/errors.ts'
import { LogRefused } from '#server/audit/sealing/log-refused.ts'
import type { Config } from '#server/kernel/config.ts'
import { refuseUnfinishedRestore } from '#server/kernel/db/copy/unfinished-restore.ts'
import { CommandError, command, programOf, readCommand, type Say, UsageError, usageOf } from './command-line.ts'

const program = programOf('tenant')

/** What the commands do. Loaded once the command line is valid: it is most of the server. */
const acts = () => import('./tenant-acts.ts')

/** The operator's commands, from which the usage text is generated. */
const commands = [
  command({
    name: 'create',
    words: { slug: 'slug' },
    required: { admin: 'email', approvers: 'email,email' },
    optional: { name: 'name', 'external-id': 'id', groups: 'name,name' },
    plan({ slug, name, admin, 'external-id': externalId = slug, ...given }) {
      const displayName = name ?? slug.charAt(0).toUpperCase() + slug.slice(1)
      const [approvers, groups] = [namesIn(given.approvers), namesIn(given.groups)]
      const organisation = { slug, externalId, displayName, admin, approvers, groups }
      return async (say) => (await acts()).createOrganisation(organisation, say)
    },
  }),
  command({
    name: 'link',
    words: { slug: 'slug', who: 'user name or e-mail' },
    plan:
      ({ slug, who }) =>
      async (say) =>
        (await acts()).newLink(slug, who, say),
  }),
  command({
    name: 'join',
    words: { slug: 'slug' },
    required: { person: 'home slug/user name', roles: 'role,role' },
    plan({ slug, person, roles }) {
      const guest = { slug, ...homeOf(person), roles: namesIn(roles) }
      return async (say) => (await acts()).joinOrganisation(guest, say)
    },
  }),
  command({
    name: 'seat',
    words: { slug: 'slug' },
    required: { group: 'group name', person: 'user name or e-mail' },
    plan:
      ({ slug, group, person }) =>
      async (say) =>
        (await acts()).seatApprover(slug, group, person, say),
  }),
  command({
    name: 'rotate-log-key',
    words: { slug: 'slug' },
    plan:
      ({ slug }) =>
      async (say) =>
        (await acts()).rotate(slug, say),
  }),
  command({
    name: 'rotate-evidence-key',
    words: { slug: 'slug' },
    plan:
      ({ slug }) =>
      async (say) =>
        (await acts()).rotateEvidence(slug, say),
  }),
  command({
    name: 'accept-log-head',
    words: { slug: 'slug' },
    plan:
      ({ slug }) =>
      async (say) =>
        (await acts()).accept(slug, say),
  }),
  command({ name: 'list', plan: () => async (say) => (await acts()).listAll(say) }),
]

/**
 * The operator's command, in a separate process, with or without a running server. One-time links are printed only
 * through `say`. Throws UsageError before the settings are read, CommandError, ConfigError, EmbeddedDatabaseError.
 */
export async function runTenantCommand(settings: () => Config, args: readonly string[], say: Say): Promise<void> {
  if (args.includes('--help')) return say(usageOf(program, commands))
  const act = readCommand(program, commands, args)
  const config = settings()
  await refuseUnfinishedRestore(config.dataDir)
  const { openInstallation } = await acts()
  const { close } = await openInstallation(config, say)
  try {
    await act(say)
  } catch (error) {
    if (error instanceof ApiError || error instanceof LogRefused) throw new CommandError(error.message)
    throw error
  } finally {
    await close()
  }
}

/** The names in a comma-separated list. */
const namesIn = (list = ''): string[] =>
  list
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')

/** "acme/bo": the tenant that the account belongs to, and the user name there. */
function homeOf(person: string): { home: string; username: string } {
  const [home, username, ...rest] = person.split('/')
  if (!home || !username || rest.length > 0)
    throw new UsageError(`--person ${JSON.stringify(person)} must be <home slug>/<user name>.`)
  return { home, username }
}
