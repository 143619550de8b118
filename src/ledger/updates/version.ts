import { checkpointTimes } from '../visibility/checkpoints.ts'

const { lookUpMs, idleMs } = checkpointTimes

/** `GetLedgerApiVersionResponse`: the version of the Ledger API whose forms are spoken here, and what there is of it. */
export const ledgerVersion = {
  version: '3.6.0',
  features: {
    experimental: {
      staticTime: { supported: false },
      commandInspectionService: { supported: false },
    },
    userManagement: { supported: false, maxRightsPerUser: 0, maxUsersPageSize: 0 },
    partyManagement: { maxPartiesPageSize: 0 },
    offsetCheckpoint: {
      maxOffsetCheckpointEmissionDelay: {
        seconds: (lookUpMs + idleMs) / 1000,
        nanos: 0,
        unknownFields: { fields: {} },
      },
    },
    packageFeature: { maxVettedPackagesPageSize: 0 },
  },
}
