export function scanCpp() { return {groups: []}; }
