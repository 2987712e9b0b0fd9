import { maxPasswordBytes, minPasswordLength } from '#lib/rules/password.ts'
import { html } from '#server/identity/pages/html.ts'
import type { RealmWords } from './types.ts'

export const english: RealmWords = {
  poweredBy: 'Powered by Countersign',
  withCountersign: (name) => `${name} and Countersign`,
  username: 'User name',
  newPassword: 'New password',
  passwordHint: (characters) => `At least ${characters} characters. A few unrelated words work well.`,
  repeatPassword: 'Repeat new password',
  signIn: {
    title: (name) => `Sign in to ${name}`,
    commandLine: 'This signs in the command line on this computer.',
    password: 'Password',
    submit: 'Sign in',
    change: 'Change your password',
    notYours: 'Not your organisation?',
    another: 'Choose another',
    // The same for an unknown name, a wrong password and a disabled account, so that it reveals nothing.
    wrong: 'The user name or the password is wrong. Your user name may differ from your mail address.',
    busy: 'Too many people are signing in right now. Try again in a moment.',
    tooMany: (minutes) =>
      `Too many attempts. Try again in ${minutes === 1 ? 'a minute' : `${minutes} minutes`}, or in a browser in which you have signed in before.`,
    inactive: (name) => `You are not an active member of ${name}. Ask an administrator to activate your membership.`,
  },
  change: {
    title: (name) => `Change your password for ${name}`,
    consequence: 'You are then signed out everywhere, and sign in with the new password.',
    current: 'Current password',
    submit: 'Change password',
    forgotten: (name) => `Forgotten? Ask an administrator of ${name} for a new link.`,
    tooMany: 'Too many attempts. Try again in a few minutes.',
    wrong: 'The user name or the current password is wrong.',
    same: 'Choose a password that differs from the current one.',
    busy: 'Too many people are signing in right now. Send the form again in a moment.',
    doneTitle: 'Your password is changed',
    done: (name) => `You are signed out everywhere. From now on, sign in to ${name} with your new password.`,
  },
  link: {
    title: (name) => `Set your password for ${name}`,
    whose: (person) => `This link is for ${person}. It works once.`,
    submit: 'Set password',
    doneTitle: 'Your password is set',
    done: (name, username) =>
      html`You can now sign in to ${name} with the user name <strong>${username}</strong> and your new password.`,
    deadTitle: 'This link doesn’t work',
    dead: 'It has been used, has expired, or was replaced by a newer one. Nothing has changed.',
    instead: (signIn, name) =>
      html`If you already have a password, <a href="${signIn}">sign in</a>. Otherwise ask an administrator of ${name} for a new link.`,
  },
  passwords: {
    short: `Use at least ${minPasswordLength} characters.`,
    long: `Use at most ${maxPasswordBytes} bytes.`,
    uniform: 'Use at least five different characters.',
    obvious: 'Use a password that does not consist of your name, e-mail address or organisation.',
    common: 'Many people use this password, so it is easy to guess. Choose another one.',
    different: 'The two passwords do not match.',
  },
  consent: {
    title: 'Allow this program?',
    asks: (program, person) =>
      html`${program === undefined ? 'A program' : html`A program that calls itself “${program}”`} wants to call tools as <strong>${person}</strong>.`,
    publisher: 'Published by',
    unknownPublisher: 'Not known: the program registered itself, and nothing shows that its name is true',
    returnsTo: 'Returns to',
    thisComputer: '(this computer)',
    agent: 'Agent',
    toolsOf: (server) => html`Tools of ${server}`,
    consequence: 'Policies and approvals apply to each call, and each call is recorded under your name.',
    anyProgram: 'Any program on this computer can say that it is this one: allow it only if you have just started it.',
    allow: 'Allow',
    deny: 'Deny',
    nothing: {
      title: 'This address offers no tools',
      text: 'The agent or the tool server does not exist, or no release of the agent is active. Check the address in the program.',
    },
  },
  signOut: {
    leaving: 'Signing you out',
    question: 'Sign out?',
    consequence: (name) => `This ends your session at ${name} in this browser, also for the command line.`,
    submit: (name) => `Sign out of ${name}`,
    stay: 'Stay signed in',
    doneTitle: 'You are signed out',
    again: 'Sign in again',
  },
  problems: {
    notAccepted: 'This form can’t be accepted',
    onlyGetAndPost: 'This page accepts only GET and POST requests.',
    otherSite: 'The form was sent by another site. Nothing has changed.',
    expired: {
      title: 'This sign-in is no longer valid',
      text: 'It was left open for too long, has already been completed, or belongs to another browser. Nothing has changed.',
    },
    notCompleted: 'This request can’t be completed',
    failed: 'Something went wrong. Try again in a moment.',
    invalidRequest: 'The application sent an invalid request.',
    startAgain: 'Start again',
    code: (code) => `Code: ${code}`,
  },
}
