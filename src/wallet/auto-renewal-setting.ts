import type { Ledger } from '../ledger/ledger.ts'
import type { Party } from '../ledger/value.ts'

const key = 'auto-renewal'

/** The wallet pays a party's renewals automatically until the user switches this off. */
export async function isRenewing(ledger: Pick<Ledger, 'setting'>, party: Party): Promise<boolean> {
  return (await ledger.setting(party, key)) !== 'off'
}

export function setRenewing(
  ledger: Pick<Ledger, 'setSetting'>,
  party: Party,
  enabled: boolean,
): Promise<void> {
  return ledger.setSetting(party, key, enabled ? 'on' : 'off')
}
