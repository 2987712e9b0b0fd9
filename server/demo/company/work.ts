import type { JsonObject } from '#lib/json.ts'
import type { Work } from './agents.ts'
import type { Chance } from './chance.ts'
import { mailDomain } from './people.ts'

/** What becomes of a piece of work: `free` needs no one, `refused` breaks a rule, `fails` is allowed and then fails. */
export type Fate = 'approved' | 'rejected' | 'expires' | 'pending' | 'free' | 'refused' | 'fails'

/** How many pieces of each fate in the whole fortnight. */
export const amounts: Readonly<Record<Work, Readonly<Partial<Record<Fate, number>>>>> = {
  refunds: { approved: 98, rejected: 12, pending: 14, free: 46, refused: 3, fails: 2 },
  letters: { approved: 52, rejected: 6, expires: 3, pending: 8, free: 12, refused: 2 },
  payouts: { approved: 46, rejected: 5, pending: 8, refused: 1, fails: 1 },
  exports: { approved: 24, rejected: 3, pending: 4, free: 14, refused: 1, fails: 1 },
  deployments: { approved: 24, rejected: 3, expires: 1, pending: 3, free: 22, refused: 1, fails: 2 },
  erasures: { approved: 18, rejected: 2, pending: 3, refused: 1, fails: 1 },
}

/** For how long people may decide, in hours: as the policies say. */
export const hoursToDecide: Readonly<Record<Work, number>> = {
  refunds: 48,
  letters: 8,
  payouts: 72,
  exports: 120,
  deployments: 4,
  erasures: 72,
}

/** The groups that decide, one after the other; `twice`: two people of the group. */
export const deciders: Readonly<Record<Work, readonly [string, ...string[]]>> = {
  refunds: ['refund-approvers'],
  letters: ['communications'],
  payouts: ['claims-leads', 'finance'],
  exports: ['data-protection'],
  deployments: ['release-approvers', 'database-owners'],
  erasures: ['data-owners', 'data-owners'],
}

/** Who starts the work. */
export const starters: Readonly<Record<Work, readonly [string, ...string[]]>> = {
  refunds: ['helpdesk', 'helpdesk', 'helpdesk', 'greta'],
  letters: ['claims-system', 'claims-system', 'greta'],
  payouts: ['claims-system'],
  exports: ['greta', 'sofia'],
  deployments: ['ci-pipeline', 'ci-pipeline', 'sofia'],
  erasures: ['helpdesk', 'greta'],
}

type Pairs = readonly [readonly [string, string], ...(readonly [string, string])[]]

const givenNames = [
  'Elif',
  'Pavel',
  'Grace',
  'Noor',
  'Tuomas',
  'Camille',
  'Rui',
  'Aoife',
  'Ingrid',
  'Marek',
  'Yara',
  'Henrik',
] as const
const familyNames = [
  'Aydin',
  'Dvorak',
  'Adeyemi',
  'Haddad',
  'Virtanen',
  'Laurent',
  'Carvalho',
  'Brennan',
  'Solberg',
  'Zielinski',
  'Costa',
] as const

const letters: Pairs = [
  [
    'Your claim has been accepted',
    'We have accepted your claim. The amount reaches your account within five working days.',
  ],
  [
    'We need two more documents',
    'Please send us the invoice and a photograph of the damage, so that we can decide your claim.',
  ],
  [
    'Your new contribution from January',
    'Your contribution changes with the new year. The enclosed table shows how it is made up.',
  ],
  [
    'An appointment with our assessor',
    'Our assessor would like to see the damage. Please tell us which of the three dates suits you.',
  ],
  [
    'Your complaint of last week',
    'We are sorry that you had to wait. We have looked into it and have corrected the invoice.',
  ],
]

const services = ['claims-api', 'policy-search', 'customer-portal', 'billing', 'document-store'] as const
const dataSets = ['loss-ratios', 'claims', 'contributions', 'open-contracts', 'complaints'] as const

/** The input of the `nth` piece of work with this fate. */
export function inputOf(work: Work, fate: Fate, nth: number, chance: Chance): JsonObject {
  const number = String(100 + nth * 3 + (fate === 'rejected' ? 1 : fate === 'pending' ? 2 : 0)).padStart(3, '0')
  switch (work) {
    case 'refunds': {
      const series = { free: 1, refused: 9, fails: 2 }[String(fate)] ?? (nth % 6 === 5 ? 3 : 2)
      return { orderId: `A-${series}${fate === 'fails' ? `${nth}404` : number}` }
    }
    case 'payouts': {
      const series = fate === 'refused' ? 6 : nth % 8 === 7 ? 5 : 4
      return { claim: `CL-${series}${fate === 'fails' ? `${nth}404` : number}` }
    }
    case 'erasures':
      return {
        customer: fate === 'fails' ? `C-2${nth}404` : `C-20${number}`,
        ticket:
          fate === 'refused' ? '' : `PRIV-${300 + nth + (fate === 'rejected' ? 60 : fate === 'pending' ? 80 : 0)}`,
      }
    case 'exports':
      return {
        name: fate === 'fails' ? 'ledger-2025' : chance.of(dataSets),
        rows: fate === 'free' ? chance.from(200, 9_500) : chance.from(11_000, 240_000),
        destination: fate === 'refused' ? 'ftp.example.net' : chance.of(['archive', 'reporting', 'auditor']),
        personal: fate !== 'free' && chance.next() < 0.6,
      }
    case 'deployments': {
      const version = `${chance.from(2, 6)}.${chance.from(0, 30)}.${fate === 'fails' ? 13 : chance.from(0, 9)}`
      return {
        service: chance.of(services),
        version: fate === 'refused' ? 'latest' : version,
        target: fate === 'free' ? 'staging' : 'production',
        migration: fate !== 'free' && nth % 5 === 4,
      }
    }
    case 'letters': {
      const [subject, body] = chance.of(letters)
      const [given, family] = [chance.of(givenNames), chance.of(familyNames)]
      const inside = fate === 'free'
      return {
        name: inside ? 'Claims leads' : `${given} ${family}`,
        to: inside ? `claims-leads@${mailDomain}` : `${given}.${family}@mail.example`.toLowerCase(),
        subject: inside ? 'Open claims of this week' : subject,
        body: inside ? 'The table of open claims is attached.' : body,
        attachments: inside || fate === 'refused' ? 1 : 0,
      }
    }
  }
}

const approving: Readonly<Record<Work, readonly [string, ...string[]]>> = {
  refunds: [
    'The order came back complete.',
    'Return confirmed by the warehouse.',
    'Damaged on arrival, photographs in the ticket.',
    'Within the rules for late deliveries.',
  ],
  letters: ['Tone and facts are right.', 'Checked against the file.', 'Agreed with the case handler.'],
  payouts: [
    'Assessment and invoice match.',
    'The assessor’s report supports the amount.',
    'Cover checked, no open contributions.',
  ],
  exports: [
    'Covered by the processing agreement.',
    'The auditor asked for exactly this.',
    'Needed for the monthly report.',
  ],
  deployments: [
    'Tests are green and the change is small.',
    'Reviewed together with the team.',
    'Rollback is prepared.',
  ],
  erasures: [
    'Identity confirmed, no open contracts.',
    'The legal period is over.',
    'The ticket has the customer’s letter.',
  ],
}
const rejecting: Readonly<Record<Work, readonly [string, ...string[]]>> = {
  refunds: ['The goods have not come back.', 'Already refunded last month.', 'The amount does not match the return.'],
  letters: ['Wrong salutation, please write it again.', 'The date in the text is not right.'],
  payouts: ['The invoice is missing.', 'The cover began after the damage.'],
  exports: ['More personal data than the purpose needs.', 'No agreement with this recipient.'],
  deployments: ['Not on the day of the monthly closing.', 'The migration has not been tried on a copy.'],
  erasures: ['A claim of this customer is still open.', 'The identity is not confirmed yet.'],
}

export const reasonOf = (work: Work, decision: 'approve' | 'reject', chance: Chance): string =>
  chance.of((decision === 'approve' ? approving : rejecting)[work])
