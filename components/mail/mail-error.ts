/** Returns why a mail was not delivered: the server's message, except for errors that an operator can fix. */
export const mailErrorText = (error: string): string =>
  error === 'not configured' ? 'Mail is not set up on this server (SMTP_URL).' : error
