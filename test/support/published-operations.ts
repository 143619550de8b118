/** Every operation of Splice 0.7.5's scan-proxy.yaml. */
export const scanProxyOperations = `
GET /v0/scan-proxy/dso-party-id
GET /v0/scan-proxy/dso
GET /v0/scan-proxy/featured-apps/{}
GET /v0/scan-proxy/open-and-issuing-mining-rounds
GET /v0/scan-proxy/amulet-rules
GET /v0/scan-proxy/ans-entries/by-party/{}
GET /v0/scan-proxy/ans-entries
GET /v0/scan-proxy/ans-entries/by-name/{}
POST /v0/scan-proxy/ans-rules
GET /v0/scan-proxy/transfer-preapprovals/by-party/{}
GET /v0/scan-proxy/transfer-command-counter/{}
GET /v0/scan-proxy/transfer-command/status
POST /v0/scan-proxy/holdings/summary
POST /v1/scan-proxy/holdings/summary
GET /v0/scan-proxy/unclaimed-development-fund-coupons`

/** Every operation of the token standard's seven registry files. */
export const registryOperations = `
POST /registry/allocation-instruction/v1/allocation-factory
POST /registry/allocation-instruction/v2/allocation-factory
POST /registry/allocation-instruction/v2/{}/choice-contexts/accept
POST /registry/allocation-instruction/v2/{}/choice-contexts/withdraw
POST /registry/allocations/v1/{}/choice-contexts/execute-transfer
POST /registry/allocations/v1/{}/choice-contexts/withdraw
POST /registry/allocations/v1/{}/choice-contexts/cancel
POST /registry/allocation/v2/settlement-factory
POST /registry/allocations/v2/{}/choice-contexts/withdraw
POST /registry/allocations/v2/{}/choice-contexts/cancel
GET /registry/metadata/v1/info
GET /registry/metadata/v1/instruments
GET /registry/metadata/v1/instruments/{}
POST /registry/transfer-instruction/v1/transfer-factory
POST /registry/transfer-instruction/v1/{}/choice-contexts/accept
POST /registry/transfer-instruction/v1/{}/choice-contexts/reject
POST /registry/transfer-instruction/v1/{}/choice-contexts/withdraw
POST /registry/transfer-instruction/v2/transfer-factory
POST /registry/transfer-instruction/v2/{}/choice-contexts/accept
POST /registry/transfer-instruction/v2/{}/choice-contexts/reject
POST /registry/transfer-instruction/v2/{}/choice-contexts/withdraw`
