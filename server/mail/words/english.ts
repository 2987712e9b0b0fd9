import type { Asker, MailWords } from './types.ts'

const through: Readonly<Record<Asker['kind'], (name: string) => string>> = {
  named: (name) => `through a program that calls itself “${name}”`,
  client: (name) => `through the program ${name}`,
  connection_token: (name) => `through the connection token “${name}”`,
  mcp: () => 'through an MCP client',
}

export const english: MailWords = {
  approval: {
    subjects: {
      requested: 'Decision requested',
      staged: 'Decision requested',
      escalated: 'Escalated to you',
      overdue: 'Escalated to you',
      reminded: 'Reminder',
    },
    whyNow: {
      requested: undefined,
      staged: 'The reviewers before you have approved.',
      escalated: 'Escalated to you by the first reviewers.',
      overdue: 'Escalated to you, because the first reviewers did not decide in time.',
      reminded: 'You have not decided this request yet.',
    },
    agent: (name) => `Agent: ${name}`,
    requestedBy: (name, program) =>
      `Requested by: ${name}${program === undefined ? '' : `, ${through[program.kind](program.name)}`}`,
    environment: (name) => `Environment: ${name}`,
    risk: { low: 'Low risk', medium: 'Medium risk', high: 'High risk', critical: 'Critical risk' },
    decideBy: (time) => `Decide by: ${time}`,
    review: 'Review and decide:',
    because: (tenant) => `You receive this mail because you are in an approver group of ${tenant}.`,
    becauseFor: (tenant, person) =>
      `You receive this mail because you are the delegate of ${person}, who is in an approver group of ${tenant}.`,
  },
  news: {
    asked: {
      subject: 'A reviewer asks',
      line: 'A reviewer has a question about this request.',
      because: (tenant) =>
        `You receive this mail because you made this request, or count as the person who did, in ${tenant}.`,
    },
    answered: {
      subject: 'Your question was answered',
      line: 'Your question about this request was answered.',
      because: (tenant) => `You receive this mail because you asked about this request, in ${tenant}.`,
    },
    changes_requested: {
      subject: 'Changes requested',
      line: 'A reviewer ended this request and wants other arguments. You can propose them on its page.',
      because: (tenant) =>
        `You receive this mail because you made this request, or count as the person who did, in ${tenant}.`,
    },
  },
  open: 'Open it:',
  passwordChanged: (tenant) => ({
    subject: `Your password in ${tenant} was changed`,
    body: 'Your password was changed with the current one, and you are signed out everywhere.\n\nIf you did not do this, ask an administrator immediately to reset your password.\n',
  }),
  invited: ({ tenant, by, username, url, until }) => ({
    subject: `You are invited to ${tenant}`,
    body: `${by} has invited you to ${tenant}.\n\nYour user name: ${username}\n\nSet your password:\n${url}\n\nThe link works once, until ${until}. Anyone who has it can use your account, so do not pass it on.\n\nIf you do not expect this, ignore this mail.\n`,
  }),
  reset: ({ tenant, by, url, until, passkeysRemoved }) => ({
    subject: `Your password in ${tenant} was reset`,
    body: `${by} has reset your password in ${tenant}. You are signed out everywhere.${passkeysRemoved === '' ? '' : ` These passkeys were removed: ${passkeysRemoved}.`}\n\nSet your password:\n${url}\n\nThe link works once, until ${until}. Anyone who has it can use your account, so do not pass it on.\n\nIf you did not ask for this, set the password with the link and tell another administrator.\n`,
  }),
  waiting: ({ agent, input, until, url }) => ({
    subject: `${agent} is waiting for “${input}”`,
    body: `${agent} is waiting for the input “${input}”.\n\nIt expires at: ${until}\n\nOpen the execution to see details and answer:\n${url}\n`,
  }),
}
