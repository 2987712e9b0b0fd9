// Where one person must not be two: what server/access/duties.test.ts holds the catalog and the code to.

/** The file in which an operation asks for the decision of another person. */
export const asking: Readonly<Record<string, string>> = {
  'approvals.proposeGrant': 'server/standing-grants/propose.ts',
  'approvals.request': 'server/external-agents/request-approval.ts',
  'executions.execute': 'server/executions/steps/ask-approval.ts',
  'groups.create': 'server/access/groups/propose-members.ts',
  'groups.setMembers': 'server/access/groups/propose-members.ts',
  'members.invite': 'server/access/members/propose-grant.ts',
  'members.resetPassword': 'server/access/members/reset-password.ts',
  'members.setRoles': 'server/access/members/propose-grant.ts',
  'mcp.call': 'server/executions/steps/ask-approval.ts',
  'mcp.callForTenant': 'server/executions/steps/ask-approval.ts',
  'policyBindings.propose': 'server/policies/bindings/propose.ts',
  'releases.propose': 'server/releases/propose.ts',
  'tenants.updateSettings': 'server/access/update-settings.ts',
  'traces.unmask': 'server/traces/unmask.ts',
}

/** The file in which an operation itself checks who the caller is the same person as. */
export const deciding: Readonly<Record<string, string>> = {
  'approvals.decide': 'server/approvals/reviewer.ts',
  'members.remove': 'server/access/members/target.ts',
  'members.resetPassword': 'server/access/members/target.ts',
  'members.resume': 'server/access/members/target.ts',
  'members.setRoles': 'server/access/members/target.ts',
  'members.suspend': 'server/access/members/target.ts',
  'members.vouch': 'server/access/members/vouch.ts',
}

/** Operations for which it makes no difference whether two accounts are one person, with the reason. */
export const alone: Readonly<Record<string, string>> = {
  ...because('registers or stops, which gives no one a right', [
    'agents.create',
    'agents.resume',
    'agents.retire',
    'agents.suspend',
  ]),
  ...because('ends a proposal, which allows nothing', [
    'approvals.cancel',
    'approvals.revokeGrant',
    'policyBindings.revoke',
    'policyBindings.withdraw',
    'releases.revoke',
    'releases.withdraw',
  ]),
  ...because('says something about a request, or ends or replaces it, which lets nothing run', [
    'approvals.answer',
    'approvals.ask',
    'approvals.open',
    'approvals.requestChanges',
    'approvals.revise',
  ]),
  ...because('names filters of a list, which shows nothing else', ['savedViews.remove', 'savedViews.save']),
  ...because('tells others what happened, without arguments and without a way to decide', [
    'notifications.createChannel',
    'notifications.removeChannel',
    'notifications.resend',
    'notifications.rotateSecret',
    'notifications.testChannel',
    'notifications.updateChannel',
  ]),
  ...because('lends a seat; approvals.decide checks both people', ['delegations.create', 'delegations.end']),
  ...because('one person with the permission suffices by design', [
    'alarms.close',
    'erasures.create',
    'evidence.createExport',
    'evidence.cancelExport',
    'holds.create',
    'holds.release',
    'policies.create',
    'policyVersions.create',
    'policyVersions.publish',
    'tenants.updateBranding',
  ]),
  ...because('asks for or settles a call that approvals decide before', ['policies.evaluate', 'policies.settle']),
  ...because('sends or ends what one person started', [
    'approvals.mails.retry',
    'executions.cancel',
    'executions.inputResolutions.retry',
    'executions.inputWaits.cancel',
    'files.upload',
    'inputEvents.submit',
    'telemetry.export',
    'telemetry.exportLogs',
  ]),
  ...because('reads, and is recorded', ['evidence.download', 'files.download']),
  ...because('concerns the caller’s own account', [
    'passkeys.beginConfirmation',
    'passkeys.beginRegistration',
    'passkeys.finishRegistration',
    'passkeys.remove',
    'session.acknowledgeReset',
    'session.chooseLanguage',
    'sessions.end',
    'sessions.endOthers',
    'sessions.endProgram',
  ]),
  ...because('records who stands behind a machine, which identities read', [
    'connectionTokens.create',
    'secrets.createApiKey',
    'serviceAccounts.create',
    'serviceAccounts.rotateSecret',
  ]),
  ...because('stores, binds or ends a secret', [
    'connectionTokens.revoke',
    'secrets.archive',
    'secrets.create',
    'secrets.revoke',
    'secrets.setDestinations',
  ]),
  ...because('switches a machine, whose people stay the same', ['serviceAccounts.disable', 'serviceAccounts.enable']),
}

/** Files whose SQL functions read who is behind an account, in addition to the module that decides. */
export const readers: readonly string[] = ['server/service-accounts/list.ts', 'server/tenants/machines.ts']

function because(reason: string, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, reason]))
}
