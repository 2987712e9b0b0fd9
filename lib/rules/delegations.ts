/** The longest delegation, in days. */
export const longestDelegationDays = 92
